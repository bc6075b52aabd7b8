import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** The header in which the page sends the token. A page of another origin cannot send it without a preflight request. */
export const tokenHeader = "x-palimpsest-token";

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403 | 405 | 415;
  readonly message: string;
}

/** The kind of a request: the page, data, or a fork. */
export type RequestKind = "page" | "data" | "act";

/** Refuses requests that do not come from the page that this server has served. */
export class Guard {
  readonly token: string;
  readonly #hosts: ReadonlySet<string>;

  /** `host` is what the server listens on. Without a token, makes a random one. */
  constructor(host: string, port: number, token = randomBytes(32).toString("base64url")) {
    this.token = token;
    const names = ["127.0.0.1", "localhost", "[::1]", host.includes(":") ? `[${host}]` : host];
    this.#hosts = new Set(names.map((name) => `${name}:${port}`));
  }

  /**
   * Returns why a request is refused; undefined if it is not. A foreign name in `Host` comes from a page whose name was rebound
   * to this address (DNS rebinding).
   */
  refusal({ method, headers }: IncomingMessage, kind: RequestKind): Refusal | undefined {
    if (method !== (kind === "act" ? "POST" : "GET")) {
      return { status: 405, message: "The inspector is read-only: send GET. With --act it writes forks." };
    }
    if (!this.#hosts.has(headers.host ?? "")) {
      return { status: 403, message: "The request names another host. Open the url that was printed." };
    }
    const { origin } = headers;
    // A browser sends the origin of every POST.
    const isOwn = origin === undefined ? kind !== "act" : this.#hosts.has(origin.replace(/^http:\/\//u, ""));
    if (!isOwn) return { status: 403, message: "The request comes from another origin." };
    // Without a preflight request, a page can send only the content types of forms to another origin.
    if (kind === "act" && headers["content-type"] !== "application/json") {
      return { status: 415, message: "Send application/json." };
    }
    if (kind === "page" || this.#isToken(headers[tokenHeader])) return undefined;
    return {
      status: 401,
      message: "The token is missing, or belongs to another start. Open the url that was printed.",
    };
  }

  #isToken(given: unknown): boolean {
    const [a, b] = [Buffer.from(this.token), Buffer.from(typeof given === "string" ? given : "")];
    return a.length === b.length && timingSafeEqual(a, b);
  }
}
