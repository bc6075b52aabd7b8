import type { Fold } from "@palimpsest/context";
import { isCertificate } from "@palimpsest/context/internal";
import type { CertificateView } from "../../shared/why-view.js";

/** The part of an archive that certificates are found in. */
export interface CertificateFiles {
  list(): AsyncIterable<{ readonly path: string }>;
  readText(path: string): Promise<string>;
}

/** Returns what the certificate of a fold says; null for a fold without one. Reads the certificates of its generation. */
export async function findCertificate(
  { id, generation = 1 }: Pick<Fold, "id" | "generation">,
  archive: CertificateFiles,
): Promise<CertificateView | null> {
  const name = `/certificates/${String(generation).padStart(4, "0")}-`;
  for await (const { path } of archive.list()) {
    if (!isCertificate(path) || !path.includes(name)) continue;
    // A damaged certificate says nothing about the fold.
    const text = await archive.readText(path).catch(() => "");
    if (!text.includes(`were folded into ${id} `)) continue;
    const [, facts, kept] = /^Of (\d+) strings that must not be lost, (\d+) are in what/mu.exec(text) ?? [];
    return { path, facts: Number(facts ?? 0), kept: Number(kept ?? 0) };
  }
  return null;
}
