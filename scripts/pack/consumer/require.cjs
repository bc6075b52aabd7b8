// The same packages from CommonJS.
const { VfsSaver } = require("@palimpsest/checkpoint");
const { compactionNode } = require("@palimpsest/langgraph");
const { contextMiddleware } = require("@palimpsest/langgraph/middleware");
const { RecallIndex } = require("@palimpsest/recall");

console.log(
  JSON.stringify([VfsSaver, compactionNode, contextMiddleware, RecallIndex].map((it) => typeof it)),
);
