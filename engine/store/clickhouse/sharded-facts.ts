/** Writes each row to the ClickHouse server of its organization. */
import type { ClickHouseClient } from '@clickhouse/client'
import type { FactRow, FactStore } from '#engine/actor/ports.ts'
import type { Shards } from './shards.ts'

const orgOf = (row: FactRow): string => String(row['org_id'] ?? row['x_OrgId'] ?? '')

export class ShardedFacts implements FactStore {
  private readonly shards: Shards
  private readonly stores: ReadonlyMap<string, FactStore>

  constructor(shards: Shards, storeOf: (client: ClickHouseClient) => FactStore) {
    this.shards = shards
    this.stores = new Map(shards.all.map(({ name, client }) => [name, storeOf(client)]))
  }

  insert(table: string, rows: readonly FactRow[]): Promise<void> {
    return this.shards.writeAll(rows, orgOf, ({ name, items }) => this.stores.get(name)!.insert(table, items))
  }
}
