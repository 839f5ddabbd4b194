/** How lines of exports are stored: in ClickHouse, and announced through the lane of their account. */
import type { ClickHouseClient } from '@clickhouse/client'
import { billLine } from '#analytics/billing/tables.ts'
import type { LinePorts } from '#actors/billing/line-store.ts'
import type { Event } from '#engine/run/publisher.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { RowBlock } from '#engine/store/clickhouse/row-block.ts'
import { billLinesStored } from '#streams/billing/stored.ts'

/** `publish` resolves once the event is durable. */
export function linePorts(
  clickhouse: ClickHouseClient,
  orgId: string,
  publish: (event: Event) => Promise<void>,
): LinePorts {
  const facts = new ClickHouseFacts(clickhouse)
  const { name } = billLine
  const written = new Set([...Object.keys(billLine.row.properties), 'x_Version'])
  return {
    async newBlock(own) {
      const columns = await facts.describe(name)
      return new RowBlock(
        columns.filter((column) => written.has(column.name)),
        own,
      )
    },
    insert: (bytes) => facts.insertBytes(name, bytes),
    announce: (data) => publish({ subject: billLinesStored, orgId, data }),
  }
}
