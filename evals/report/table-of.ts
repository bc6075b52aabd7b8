import type { Table } from "../suite.js";

/** The head of a column, and what stands in it for an item. */
export type Column<Item> = readonly [head: string, cell: (item: Item) => string | number];

/** Returns a table with a row for each item: every head beside its cell. Pure. */
export function tableOf<Item>(
  items: readonly Item[],
  { columns, ...text }: Pick<Table, "title" | "note"> & { readonly columns: readonly Column<Item>[] },
): Table {
  return {
    ...text,
    columns: columns.map(([head]) => head),
    rows: items.map((item) => columns.map(([, cell]) => cell(item))),
  };
}
