import * as fc from "fast-check";
import { expect, it } from "vitest";
import { uuidBytes, uuidFrom } from "./uuid.js";

it("every UUID in lower case is restored from its 16 bytes", () => {
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      const bytes = uuidBytes(id);
      expect(bytes).toHaveLength(16);
      expect(uuidFrom(bytes ?? Buffer.alloc(0))).toBe(id);
    }),
  );
});

it("no other text is mistaken for a UUID", () => {
  const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
  for (const other of ["", "run-1", id.toUpperCase(), `${id}0`, id.replaceAll("-", ""), ` ${id}`])
    expect(uuidBytes(other)).toBeUndefined();
});
