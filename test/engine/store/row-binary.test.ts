import { expect } from 'chai'
import { createClient, type ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { DataRefused } from '#engine/actor/ports.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { testStores } from '#test/harness/stores.ts'

const columns = `
  id UInt64, big UInt128, small Int8, f Float64, s String, low LowCardinality(String), n Nullable(String), money Decimal(38, 14),
  price Nullable(Decimal(38, 16)), little Decimal(9, 2), d Date32, t DateTime('UTC'), ms DateTime64(3, 'UTC'),
  tags Map(LowCardinality(String), String), lists Array(Array(LowCardinality(String))), counts Array(UInt32), fallback String DEFAULT 'as declared'`

describe('rows in binary', () => {
  let ch: ClickHouseClient
  let facts: ClickHouseFacts
  before(async () => {
    const { clickhouse } = await testStores()
    ch = createClient({ ...reachable(clickhouse.url), database: clickhouse.database })
    await ch.command({ query: `CREATE TABLE IF NOT EXISTS binary_toy (${columns}) ENGINE = MergeTree ORDER BY id` })
    facts = new ClickHouseFacts(ch)
  })
  after(async () => {
    // Other files of the run look at all tables there are.
    await ch.command({ query: 'DROP TABLE binary_toy' })
    await ch.close()
  })
  const read = async (where: string): Promise<unknown[]> => {
    const query = `SELECT * EXCEPT (id) FROM binary_toy WHERE ${where} ORDER BY id`
    const settings = { output_format_json_quote_decimals: 1, output_format_json_quote_64bit_integers: 1 } as const
    return (await ch.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json()
  }

  it('come back as they went in, every type, and columns left out take their default', async () => {
    await facts.insert('binary_toy', [
      {
        id: 1,
        big: 2n ** 121n + 5n,
        small: -7,
        f: 1.5,
        s: 'ä€😀\n\0',
        low: 'x',
        n: null,
        money: '-0.00000000000001',
        price: '0.1',
        little: '12.345',
        d: '1999-12-31',
        t: '2026-01-15T10:20:30',
        ms: '2026-01-15T10:20:30.123Z',
        tags: { ' org': 'a', org: '', __proto__x: '"' },
        lists: [['a', 'ß'], [], ['']],
        counts: [0, 4294967295],
      },
      { id: 2, s: 'x'.repeat(5000), money: '99999999999999999.5' },
    ])
    expect(await read('id < 10')).to.deep.equal([
      {
        big: String(2n ** 121n + 5n),
        small: -7,
        f: 1.5,
        s: 'ä€😀\n\0',
        low: 'x',
        n: null,
        money: '-0.00000000000001',
        price: '0.1',
        little: '12.35',
        d: '1999-12-31',
        t: '2026-01-15 10:20:30',
        ms: '2026-01-15 10:20:30.123',
        tags: { ' org': 'a', org: '', __proto__x: '"' },
        lists: [['a', 'ß'], [], ['']],
        counts: [0, 4294967295],
        fallback: 'as declared',
      },
      {
        big: '0',
        small: 0,
        f: 0,
        s: 'x'.repeat(5000),
        low: '',
        n: null,
        money: '99999999999999999.5',
        price: null,
        little: '0',
        d: '1970-01-01',
        t: '1970-01-01 00:00:00',
        ms: '1970-01-01 00:00:00.000',
        tags: {},
        lists: [],
        counts: [],
        fallback: 'as declared',
      },
    ])
  })

  it('keep every text exactly', async () => {
    const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 90 }), 300)
    await facts.insert(
      'binary_toy',
      texts.map((s, i) => ({ id: 1000 + i, s, low: s.slice(0, 5) })),
    )
    expect((await read('id >= 1000 AND id < 2000')).map((row) => (row as { s: string }).s)).to.deep.equal(texts)
  })

  for (const [what, row] of [
    ['an unknown column', { id: 1, nothing: 1 }],
    ['a number where text belongs', { id: 1, s: 5 }],
    ['what is no decimal', { id: 1, money: '1e400' }],
    ['a day beyond the calendar', { id: 1, d: '9999-12-31' }],
    ['a number that does not fit', { id: 1, small: 200 }],
    ['what is no number', { id: 1, f: Number.NaN }],
  ] as const) {
    it(`refuse ${what} before anything is sent`, async () => {
      const error = await facts.insert('binary_toy', [row]).catch((e: unknown) => e)
      expect(error).to.be.instanceOf(DataRefused)
    })
  }
})
