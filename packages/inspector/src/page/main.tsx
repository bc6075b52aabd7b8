import { render } from "preact";
import { App } from "./app.js";
import { takeToken } from "./place.js";
import { reportInPage, reportSource } from "./report-source.js";
import { serverSource } from "./source.js";

const report = await reportInPage();
render(
  <App source={report === undefined ? serverSource(takeToken()) : reportSource(report)} />,
  document.body,
);
