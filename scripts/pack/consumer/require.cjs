// The same packages from CommonJS.
const { VfsSaver } = require("@palimpsest/checkpoint");
const { compactionNode } = require("@palimpsest/langgraph");
const { contextMiddleware } = require("@palimpsest/langgraph/middleware");
const { RecallIndex } = require("@palimpsest/recall");

const types = [VfsSaver, compactionNode, contextMiddleware, RecallIndex].map((it) => typeof it);
const saver = VfsSaver.inMemory();
// An erasure loads another package only then.
saver.files
  .archive("1")
  .append("/context/note.md", "hello")
  .then(() => saver.erase({ thread: "1", match: "hello", reason: "asked" }))
  .then(({ threads }) => console.log(JSON.stringify([...types, threads.length])));
