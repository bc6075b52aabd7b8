import { render } from "preact";
import { App } from "./app.js";
import { takeToken } from "./place.js";
import { reportInPage, reportSource } from "./source/report-source.js";
import { serverSource } from "./source/source.js";

const report = await reportInPage();
render(
  <App source={report === undefined ? serverSource(takeToken()) : reportSource(report)} />,
  document.body,
);
