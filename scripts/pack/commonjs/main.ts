import { all } from "./agent";

void all("agent.db").then((seen) => console.log(JSON.stringify(seen)));
