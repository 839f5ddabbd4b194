/**
 * Stores lines of an export in blocks and announces each block to the account, instead of sending every line through
 * the account's lane. Lines of an export count by the account's pointer to the export, so a block that is stored and
 * not announced changes nothing, and one that is stored twice replaces itself. Each run has an export of its own.
 */
import { hash } from 'node:crypto'
import { rowOf } from '#actors/account/bill/fact.ts'
import type { ExportIdentity } from '#actors/account/export/bill-export.ts'
import { factVersion } from '#engine/lane/message/mailbox.ts'
import type { ColumnBlock, NativeRows, RowVersion, SharedValues } from '#engine/store/clickhouse/column-block.ts'
import type { Static } from '#engine/value/schema.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'
import { utc } from '#streams/billing/line/cost-line.ts'
import type { LineSink } from '#streams/billing/reader.ts'
import { ownCosts, ownQuantities, type OwnPart } from '#streams/billing/row/own-part.ts'
import type { LineTemplate } from '#streams/billing/row/same-rows.ts'
import { storedDaysMax, storedPeriodsMax, type billLinesStored } from '#streams/billing/stored.ts'

/** Bytes, and rows, after which a block is stored. */
const bytesMax = 32 * 1024 * 1024
const rowsMax = 50_000

type Stored = Static<typeof billLinesStored.schema>

/** What storing needs: the columns of the table, an insert that is durable when it resolves, and the announcement. */
export interface LinePorts {
  newBlock: (own: readonly string[]) => Promise<ColumnBlock>
  insert: (block: NativeRows) => Promise<void>
  announce: (stored: Stored) => Promise<void>
}

export interface StoredExport extends Pick<ExportIdentity, 'id' | 'at'> {
  orgId: string
  cloudAccountId: string
  hiddenUntilEnd: boolean
}

interface Period {
  lines: number
  days: Set<string>
}

export class LineStore implements LineSink {
  private readonly ports: LinePorts
  private readonly bill: StoredExport
  private readonly exportedAt: string
  /** Of two rows with one id the later one counts. */
  private readonly version: RowVersion
  private block: ColumnBlock | undefined
  /** Names of own columns that a line read as a whole takes from its row, in order. */
  private names: readonly string[] = []
  private values: unknown[] = []
  private index = 0
  private provider = ''
  private periods = new Map<string, Period>()
  /** The two blocks that are being stored: the second is sent while the server stores the first. */
  private storing: readonly [Promise<void>, Promise<void>] = [Promise.resolve(), Promise.resolve()]
  private readonly shared = new WeakMap<LineTemplate, SharedValues>()

  constructor(ports: LinePorts, bill: StoredExport) {
    this.ports = ports
    this.bill = bill
    this.exportedAt = utc(bill.at, 'exportedAt', true)
    const high = Buffer.alloc(8)
    high.writeBigUInt64LE(factVersion(Date.parse(bill.at), 0, 0, 'batch', 0) >> 64n)
    this.version = { high, row: 0 }
  }

  /** Call before the rows of each file. */
  async begin(own: OwnPart): Promise<void> {
    await this.flush()
    const { textNames, priceNames, mapNames, hasOthers } = own.cells
    const others = hasOthers ? ['x_OtherColumns'] : []
    this.names = [...ownCosts, ...ownQuantities, ...textNames, ...priceNames, ...mapNames, ...others]
    const always = ['x_Version', 'x_LineId', 'x_Day', 'x_BillingPeriod', 'ChargePeriodStart', 'ChargePeriodEnd']
    this.block = await this.ports.newBlock([...always, ...this.names])
    this.values = [this.version, ...Array.from({ length: always.length + this.names.length - 1 })]
  }

  takeSame(template: LineTemplate, own: OwnPart): void {
    let shared = this.shared.get(template)
    if (!shared) this.shared.set(template, (shared = this.block!.shared(this.rowOf(template.cost))))
    const { values } = this
    let at = this.note(template.cost.x_Provider, own)
    for (const cost of own.costs) values[at++] = cost
    for (const quantity of own.quantities) values[at++] = quantity
    for (const text of own.cells.texts) values[at++] = text
    for (const price of own.cells.prices) values[at++] = price === '' ? undefined : price
    for (const map of own.cells.maps) values[at++] = map
    if (own.cells.hasOthers) values[at] = own.cells.others
    this.block!.add(shared, values)
  }

  /** A line that was read as a whole. */
  take({ cost, period }: { cost: CostLine; period: string }): void {
    const row = this.rowOf(cost)
    const { x_LineId: id, x_Day: day, ChargePeriodStart: start, ChargePeriodEnd: end } = cost
    let at = this.note(cost.x_Provider, { id, day, period, start: start as string, end: end as string })
    for (const name of this.names) {
      const value = row[name]
      this.values[at++] = typeof value === 'object' && value !== null ? { value } : value
    }
    this.block!.add(this.block!.shared(row), this.values)
  }

  private rowOf(cost: CostLine): Record<string, unknown> {
    const row = rowOf(this.bill.orgId, { ...cost }) as Record<string, unknown>
    row['x_CloudAccountId'] = this.bill.cloudAccountId
    row['x_ExportId'] = this.bill.id
    row['x_ExportedAt'] = this.exportedAt
    return row
  }

  /** Fills in the columns that every line has of its own. Returns the index of the next value. */
  private note(
    provider: string,
    { id, day, period, start, end }: Pick<OwnPart, 'id' | 'day' | 'period' | 'start' | 'end'>,
  ): number {
    const { values } = this
    this.version.row++
    values[1] = id
    values[2] = day
    values[3] = period
    values[4] = start
    values[5] = end
    this.provider ||= provider
    let found = this.periods.get(period)
    if (!found) this.periods.set(period, (found = { lines: 0, days: new Set() }))
    found.lines++
    found.days.add(day)
    return 6
  }

  /** Stores what has come together once it is enough, while the next rows are read. */
  async pause(): Promise<void> {
    const { block } = this
    if (!block || (block.bytes <= bytesMax && block.rows < rowsMax)) return
    const [first, second] = this.storing
    await first
    const third = this.store(block, second)
    // It may fail while rows are read: a later pause says so.
    third.catch(() => {})
    this.storing = [second, third]
  }

  /** Stores the rest. Resolves once everything is stored and announced. */
  async flush(): Promise<void> {
    const [, last] = this.storing
    await last
    if (this.block && this.block.rows > 0) await this.store(this.block, last)
  }

  /** The block is announced after those before it. */
  private async store(block: ColumnBlock, before: Promise<void>): Promise<void> {
    const { bill, periods, provider } = this
    const { rows } = block
    const taken = block.take()
    const index = ++this.index
    this.periods = new Map()
    await this.ports.insert(taken)
    const about = { cloudAccountId: bill.cloudAccountId, exportId: bill.id, exportedAt: bill.at, provider }
    const hidden = bill.hiddenUntilEnd && { hiddenUntilEnd: true }
    const told = { index, rows, hash: hash('sha256', taken.bytes) }
    await before
    for (const some of portionsOf(periods))
      await this.ports.announce({ ...about, ...hidden, block: told, periods: some })
  }
}

/** The periods within the limits of a message. */
function* portionsOf(periods: ReadonlyMap<string, Period>): Generator<Stored['periods']> {
  let portion: Stored['periods'] = []
  for (const [period, { lines, days }] of periods) {
    const sorted = [...days].toSorted()
    for (let at = 0; at < sorted.length; at += storedDaysMax) {
      portion.push({ period, lines: at === 0 ? lines : 0, days: sorted.slice(at, at + storedDaysMax) })
      if (portion.length < storedPeriodsMax) continue
      yield portion
      portion = []
    }
  }
  if (portion.length > 0) yield portion
}
