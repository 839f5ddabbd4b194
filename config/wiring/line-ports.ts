/** How lines of exports are stored: in ClickHouse, and announced through the lane of their account. */
import { billLine } from '#analytics/billing/tables.ts'
import type { LinePorts } from '#actors/billing/line-store.ts'
import type { Connections } from '#config/state/connect.ts'
import type { Event } from '#engine/run/publisher.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { Fault } from '#engine/value/fault.ts'
import { ColumnBlock } from '#engine/store/clickhouse/column-block.ts'
import { billLinesStored } from '#streams/billing/stored.ts'

/**
 * `publish` resolves once the event is durable. Nothing is stored for an organization that is closed, so that its
 * deletion finds everything.
 */
export function linePorts(
  { shards, store }: Pick<Connections, 'shards' | 'store'>,
  orgId: string,
  publish: (event: Event) => Promise<void>,
): LinePorts {
  const facts = new Map(shards.all.map(({ client }) => [client, new ClickHouseFacts(client)]))
  const { name } = billLine
  const written = new Set([...Object.keys(billLine.row.properties), 'x_Version'])
  return {
    async newBlock(own) {
      const columns = await facts.get(await shards.of(orgId))!.describe(name)
      return new ColumnBlock(
        columns.filter((column) => written.has(column.name)),
        own,
      )
    },
    async insert(block) {
      const closed = await store.rows('select org_id from closed_organization where org_id = $1', [orgId])
      if (closed.length > 0) throw Fault.forbidden('organization_closed', 'The organization is closed.')
      await shards.write(orgId, (ch) => facts.get(ch)!.insertBlock(name, block))
    },
    announce: (data) => publish({ subject: billLinesStored, orgId, data }),
  }
}
