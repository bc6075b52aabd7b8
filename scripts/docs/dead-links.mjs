import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../run.mjs";

/**
 * Returns the relative links of a page whose file or heading is not there. An image in HTML begins with "./": the site takes any
 * other path for the name of a module.
 */
export function deadLinks(page) {
  const text = withoutCode(readFileSync(join(root, page), "utf8"));
  const images = [...text.matchAll(/\b(?:src|srcset)="(?!https?:)([^"]+)"/g)].map(([, path]) => path);
  const unmarked = images.filter((path) => !path.startsWith("./"));
  const missing = images.filter((path) => !existsSync(join(root, dirname(page), path)));
  return [...new Set([...unmarked, ...missing, ...missingTargets(text, page)])];
}

function missingTargets(text, page) {
  return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => {
      const [path, anchor] = link.split("#");
      const target = path === "" ? join(root, page) : join(root, dirname(page), path);
      if (!existsSync(target)) return true;
      return anchor !== undefined && statSync(target).isFile() && !anchorsOf(target).has(anchor);
    });
}

function withoutCode(text) {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

/** GitHub's anchors: lower case, without punctuation, spaces as hyphens. */
function anchorsOf(path) {
  const headings = readFileSync(path, "utf8")
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}
