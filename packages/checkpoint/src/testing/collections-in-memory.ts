import { BSON, type Document } from "bson";
import { Query } from "mingo";

interface Update {
  readonly $set?: Document;
  readonly $setOnInsert?: Document;
}

interface UpdateOne {
  readonly filter: Document;
  readonly update: Update;
  readonly upsert: boolean;
}

/**
 * The part of a MongoClient that MongoDBSaver calls, with collections in memory. Documents pass through BSON, as on their way
 * to a server, which no package can start here. Accepts nothing that the saver does not use.
 */
export class ClientInMemory {
  readonly #collections = new Map<string, CollectionInMemory>();

  appendMetadata(): void {
    // A server logs which library connects.
  }

  db(): this {
    return this;
  }

  collection(name: string): CollectionInMemory {
    const collection = this.#collections.get(name) ?? new CollectionInMemory();
    this.#collections.set(name, collection);
    return collection;
  }
}

class CollectionInMemory {
  #documents: Uint8Array[] = [];

  async createIndex(): Promise<void> {
    // A scan finds the same documents.
  }

  find(query: Document): CursorInMemory {
    return new CursorInMemory(this.#documents.map(read).filter((document) => matches(query, document)));
  }

  async updateOne(filter: Document, update: Update, { upsert }: { readonly upsert: boolean }): Promise<void> {
    const { $set, $setOnInsert, ...others } = update;
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) throw new Error(`The collection in memory does not know ${unknown}.`);
    const index = this.#documents.findIndex((bytes) => matches(filter, read(bytes)));
    const found = this.#documents[index];
    if (found) this.#documents[index] = written({ ...read(found), ...$set });
    else if (upsert) this.#documents.push(written({ ...filter, ...$setOnInsert, ...$set }));
  }

  async bulkWrite(operations: readonly { readonly updateOne: UpdateOne }[]): Promise<void> {
    for (const { updateOne } of operations)
      await this.updateOne(updateOne.filter, updateOne.update, { upsert: updateOne.upsert });
  }

  async deleteMany(filter: Document): Promise<void> {
    this.#documents = this.#documents.filter((bytes) => !matches(filter, read(bytes)));
  }
}

class CursorInMemory {
  #documents: Document[];

  constructor(documents: Document[]) {
    this.#documents = documents;
  }

  sort(key: string, direction: 1 | -1): this {
    this.#documents.sort((a, b) => direction * String(a[key]).localeCompare(String(b[key])));
    return this;
  }

  limit(count: number): this {
    this.#documents = this.#documents.slice(0, count);
    return this;
  }

  async toArray(): Promise<Document[]> {
    return this.#documents;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document> {
    yield* this.#documents;
  }
}

function matches(query: Document, document: Document): boolean {
  return new Query(query).test(document);
}

function written(document: Document): Uint8Array {
  return BSON.serialize(document, { ignoreUndefined: true });
}

function read(bytes: Uint8Array): Document {
  return BSON.deserialize(bytes, { promoteValues: true });
}
