import * as fc from "fast-check";

// A run plays the same cases each time, so a failure points to the change at hand. PALIMPSEST_SEED plays other cases.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env["PALIMPSEST_SEED"] ?? 1) });
