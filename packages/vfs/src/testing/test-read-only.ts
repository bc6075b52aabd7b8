import { expect, it } from "vitest";
import type { TestBackendOptions } from "./test-backend-options.js";

/** Laws of a backend that refuses every change. */
export function testReadOnly(create: TestBackendOptions["create"]): void {
  it("refuses every change, says why, and changes nothing", async () => {
    const backend = await create({ "/d/a.md": "kept" });
    const changes = [
      backend.write("/d/a.md", "x"),
      backend.write("/new.md", "x"),
      backend.edit("/d/a.md", "kept", "x"),
      backend.delete("/d/a.md"),
      backend.delete("/d"),
    ];
    for (const { error } of await Promise.all(changes)) expect(error).toMatch(/^\/\S+ is read-only: .+\.$/);
    const uploaded = await backend.uploadFiles([["/new.md", new Uint8Array()]]);
    expect(uploaded).toEqual([{ path: "/new.md", error: "permission_denied" }]);
    expect((await backend.read("/d/a.md")).content).toBe("kept");
    expect((await backend.glob("**")).files).toHaveLength(1);
  });
}
