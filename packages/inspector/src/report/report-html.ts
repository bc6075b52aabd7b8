import { gzipSync } from "node:zlib";
import { readPage } from "../server/page-file.js";
import type { ReportData } from "../shared/report-data.js";

/**
 * Returns the page with the data of a report in it: one file that needs no server and loads nothing. The data is compressed
 * and encoded, so no text in it can end the element that holds it.
 */
export function reportHtml(report: ReportData): string {
  const { html, policy } = readPage();
  const data = gzipSync(JSON.stringify(report)).toString("base64");
  // Directives that only a header can carry.
  const inPage = policy.replace(/; frame-ancestors [^;]*/u, "");
  return html
    .replace(
      "<meta charset",
      () => `<meta http-equiv="Content-Security-Policy" content="${inPage}">\n<meta charset`,
    )
    .replace(
      "<script type",
      () => `<script id="report" type="application/gzip">${data}</script>\n<script type`,
    );
}
