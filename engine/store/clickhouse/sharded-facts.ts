/** Writes each row to the ClickHouse server of its organization. */
import type { FactRow, FactStore } from '#engine/actor/ports.ts'
import type { AwayShards } from './away-shards.ts'
import type { Shard, Shards } from './shards.ts'

const orgOf = (row: FactRow): string => (row['org_id'] ?? row['x_OrgId'] ?? '') as string

export class ShardedFacts implements FactStore {
  private readonly shards: Shards
  private readonly away: AwayShards
  private readonly stores: ReadonlyMap<string, FactStore>

  constructor(shards: Shards, away: AwayShards, storeOf: (shard: Shard) => FactStore) {
    this.shards = shards
    this.away = away
    this.stores = new Map(shards.all.map((shard) => [shard.name, storeOf(shard)]))
  }

  /**
   * @throws FactsAway if a server is away, or an organization has been held for some seconds by its move: rows of other
   * organizations may be written
   */
  insert(table: string, rows: readonly FactRow[]): Promise<void> {
    return this.shards.writeAll(
      rows,
      orgOf,
      ({ name, items }) => this.away.guard(name, () => this.stores.get(name)!.insert(table, items)),
      this.away.patience(),
    )
  }
}
