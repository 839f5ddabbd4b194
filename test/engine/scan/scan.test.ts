/** What is scanned from bytes beside what `JSON.parse` and the schema make of the same bytes. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { isRefusal, readMessage, type Message } from '#engine/lane/message/message.ts'
import { MetadataStorage } from '@mikro-orm/core'
import { registry, type Registry } from '#engine/actor/registry.ts'
import { ScannedData } from '#engine/scan/held-values.ts'
import { rowBinary } from '#engine/store/clickhouse/row-binary.ts'
import { billingMessages, type BillingLine } from '#streams/billing/messages.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { billMessage } from '#test/harness/bill-messages.ts'
import { amount } from '#test/harness/tier.ts'

const fast = registry([], billingMessages as never, new MetadataStorage())
const slow: Registry = { ...fast, scanners: new Map() }
const ddl = readFileSync(new URL('../../../analytics/tables/001_cost_fact.sql', import.meta.url), 'utf8')
const columns = [...ddl.matchAll(/^ {4}(\w+) +([A-Z]\S*(?: \S+\))?)/gm)].map(([, name, type]) => ({
  name: name!,
  type: type!.replace(/,$/, ''),
}))

const log = (subject: string, body: Uint8Array) => ({
  seq: 7,
  subject,
  headers: {},
  body,
  at: Date.UTC(2026, 0, 20, 12),
})

/** What comes of a message, up to the bytes of its rows; how many of its envelopes were scanned, and of those became rows. */
function outcome(of: Registry, subject: string, body: Uint8Array) {
  let scanned = 0
  let rows = 0
  const list = readMessage(of, log(subject, body)).map((item) => {
    if (isRefusal(item)) {
      const { fault, log: _log, body: kept, ...rest } = item
      return { ...rest, fault: said(fault), body: kept.toString() }
    }
    if (item.envelope.data instanceof ScannedData) scanned++
    const { log: _log, envelope, subject: _subject, receivers: _receivers, ...rest } = item
    const bytes = row(item)
    if (item.envelope.data instanceof ScannedData && !bytes.startsWith('{')) rows++
    return { ...rest, envelope: JSON.stringify(envelope), row: bytes }
  })
  return { list, scanned, rows }
}

function row({ envelope, time }: Message): string {
  try {
    const line = costLine(envelope.data as BillingLine, new Date(time))
    return rowBinary(columns, [line]).toString('hex')
  } catch (error) {
    return JSON.stringify(said(Fault.from(error)))
  }
}

const said = ({ kind, code, message, detail }: Fault) => ({ kind, code, message, detail })

describe('messages scanned from their bytes', () => {
  it('knows every column of the table of facts', () => {
    expect(columns).to.have.length(78)
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).to.include({
      x_LineId: 'String',
      Tags: 'Map(LowCardinality(String), String)',
      ListUnitPrice: 'Nullable(Decimal(38, 16))',
      ChargePeriodEnd: "DateTime('UTC')",
    })
  })

  it('come to the very rows, words and refusals that JSON.parse and the schema come to, whatever is in them', () => {
    const count = amount(800, 8_000, 1_000_000)
    const seed = Number(process.env['TEST_SEED'] ?? 20_261_127)
    let scanned = 0
    let rows = 0
    for (let n = 0; n < count; n++) {
      const { subject, body } = billMessage(seed, n)
      const before = Buffer.from(body)
      const here = outcome(fast, subject, body)
      const there = outcome(slow, subject, before)
      scanned += here.scanned
      rows += here.rows
      if (JSON.stringify(here.list) !== JSON.stringify(there.list))
        expect(here.list, `message ${n} of ${seed}: ${before.toString()}`).to.deep.equal(there.list)
    }
    expect(scanned).to.be.greaterThan(count / 5)
    expect(rows).to.be.greaterThan(count / 6)
  }).timeout(amount(120_000, 120_000, 3_600_000))

  it('convert the costs of a line by its own dollar amount: 9 EUR that are 10 USD make 18 EUR list 20 USD', () => {
    const data = {
      lineId: '2026-01-15/x',
      cloudAccountId: 'acct-1',
      provider: 'aws',
      ChargePeriodStart: '2026-01-15T00:00:00Z',
      BilledCost: '9',
      ListCost: '18',
      BillingCurrency: 'EUR',
      usdCosts: { BilledCost: '10' },
      usdRate: '3',
    }
    const sent = {
      id: 'a',
      type: billingMessages[0]!.name,
      schemaVersion: 1,
      orgId: 'org-1',
      time: '2026-01-20T10:00:00Z',
      data,
    }
    const [message] = readMessage(fast, log('billing.org-1.acct-1', Buffer.from(JSON.stringify(sent))))
    if (!message || isRefusal(message)) throw new Error('the message is refused')
    expect(message.envelope.data).to.be.instanceOf(ScannedData)
    const line = costLine(message.envelope.data as BillingLine, new Date(message.time))
    expect([line['BilledCost'], line['ListCost'], line['x_UsdRate']]).to.deep.equal(['10', '20', '1.111111111111'])
  })

  it('are those that producers send as the examples have them', () => {
    const [line] = billingMessages
    for (const data of line!.examples) {
      const body = Buffer.from(
        JSON.stringify({
          id: 'a',
          type: line!.name,
          schemaVersion: 1,
          orgId: 'org-1',
          time: '2026-01-20T10:00:00Z',
          data,
        }),
      )
      expect(outcome(fast, 'billing.org-1.acct-1', body).scanned).to.equal(1)
    }
  })
})
