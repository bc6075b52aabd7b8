import { render } from "preact";
import { App } from "./app.js";
import { takeToken } from "./place.js";
import { serverSource } from "./source.js";

render(<App source={serverSource(takeToken())} />, document.body);
