import { expect } from 'chai'
import { createClient, type ClickHouseClient } from '@clickhouse/client'
import fc from 'fast-check'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { ColumnBlock } from '#engine/store/clickhouse/column-block.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { testStores } from '#test/harness/stores.ts'
import { amount } from '#test/harness/tier.ts'

/** Every type that lines of bills have. */
const types = {
  id: 'UInt128',
  day: 'Date32',
  at: "DateTime('UTC')",
  till: "Nullable(DateTime('UTC'))",
  ms: "DateTime64(3, 'UTC')",
  hours: 'Nullable(Float64)',
  name: 'String',
  low: 'LowCardinality(String)',
  cost: 'Decimal(38, 14)',
  rate: 'Decimal(38, 12)',
  price: 'Nullable(Decimal(38, 16))',
  quantity: 'Nullable(Decimal(38, 14))',
  tags: 'Map(LowCardinality(String), String)',
}
const columns = Object.entries(types).map(([name, type]) => ({ name, type }))

/** The version of a row as its 128 bits: 5 in the high half, the row and two zero bytes in the low one. */
const version = (row: number) => ({ high: Buffer.from([5, 0, 0, 0, 0, 0, 0, 0]), row })
const idOf = (row: number): bigint => (5n << 64n) + (BigInt(row) << 16n)

describe('rows by column', () => {
  let ch: ClickHouseClient
  let facts: ClickHouseFacts
  const tables = ['block_toy', 'row_toy']
  before(async () => {
    const { clickhouse } = await testStores()
    ch = createClient({ ...reachable(clickhouse.url), database: clickhouse.database })
    const declared = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
    for (const table of tables)
      await ch.command({
        query: `CREATE TABLE ${table} (${declared}, fallback UInt8 DEFAULT 7) ENGINE = MergeTree ORDER BY id`,
      })
    facts = new ClickHouseFacts(ch)
  })
  afterEach(async () => {
    for (const table of tables) await ch.command({ query: `TRUNCATE TABLE ${table}` })
  })
  after(async () => {
    for (const table of tables) await ch.command({ query: `DROP TABLE ${table}` })
    await ch.close()
  })
  const read = async (table: string): Promise<unknown[]> => {
    const settings = { output_format_json_quote_decimals: 1, output_format_json_quote_64bit_integers: 1 } as const
    const query = `SELECT * FROM ${table} ORDER BY id`
    return (await ch.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })).json()
  }

  it('come back as they went in, every type, and columns left out take their default', async () => {
    const block = new ColumnBlock(columns, ['id', 'cost', 'tags'])
    const first = block.shared({ day: '1999-12-31', at: '2026-01-15T10:20:30', low: 'x', price: '0.1', hours: 1.5 })
    const other = block.shared({
      till: '2026-02-01T00:00:00',
      ms: '2026-01-15T10:20:30.123Z',
      name: 'ä€😀\n\0',
      low: 'ß'.repeat(90),
      rate: '1.000000000001',
      quantity: '-99999999999999999.5',
    })
    const team = { value: { team: 'a', ' org': '' } }
    block.add(first, [version(1), { whole: -1, rest: -5 }, team])
    block.add(other, [version(2), '99999999999999999.00000000000001', undefined])
    block.add(first, [version(2 ** 20), { whole: 2 ** 50, rest: 1 }, team])
    expect(block.rows).to.equal(3)
    await facts.insertBlock('block_toy', block.take())
    expect(block.rows).to.equal(0)
    block.add(first, [version(3), '0', { value: { org: 'b' } }])
    await facts.insertBlock('block_toy', block.take())
    const ofFirst = {
      day: '1999-12-31',
      at: '2026-01-15 10:20:30',
      till: null,
      ms: '1970-01-01 00:00:00.000',
      hours: 1.5,
      name: '',
      low: 'x',
      rate: '0',
      price: '0.1',
      quantity: null,
      fallback: 7,
    }
    expect(await read('block_toy')).to.deep.equal([
      { ...ofFirst, id: String(idOf(1)), cost: '-1.00000000000005', tags: { team: 'a', ' org': '' } },
      {
        id: String(idOf(2)),
        day: '1970-01-01',
        at: '1970-01-01 00:00:00',
        till: '2026-02-01 00:00:00',
        ms: '2026-01-15 10:20:30.123',
        hours: null,
        name: 'ä€😀\n\0',
        low: 'ß'.repeat(90),
        cost: '99999999999999999.00000000000001',
        rate: '1.000000000001',
        price: null,
        quantity: '-99999999999999999.5',
        tags: {},
        fallback: 7,
      },
      { ...ofFirst, id: String(idOf(3)), cost: '0', tags: { org: 'b' } },
      {
        ...ofFirst,
        id: String(idOf(2 ** 20)),
        cost: '1125899906842624.00000000000001',
        tags: { team: 'a', ' org': '' },
      },
    ])
  })

  it('are the same as if they had been inserted row by row', async () => {
    const decimal = (places: number) =>
      fc
        .tuple(fc.bigInt(-(10n ** 17n), 10n ** 17n), fc.bigInt(0n, 10n ** BigInt(places) - 1n))
        .map(([whole, rest]) => `${whole}.${String(rest).padStart(places, '0')}`)
    const text = fc.oneof(
      fc.constantFrom('', 'a', 'b', 'NULL'),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.integer({ min: 100, max: 9000 }).map((length) => 'long '.repeat(length / 5)),
    )
    const time = fc
      .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2106-02-07T00:00:00Z'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 19))
    const days = fc.constantFrom('1900-01-01', '1969-12-31', '2026-01-05', '2299-12-31')
    const whole = fc.record(
      {
        day: days,
        at: time,
        till: time,
        ms: time.map((at) => `${at}.007Z`),
        hours: fc.double({ noNaN: true, noDefaultInfinity: true }),
        name: text,
        low: text,
        rate: decimal(12),
        price: decimal(16),
        quantity: decimal(14),
      },
      // A column that no row of an insert has takes the default of its type, which for days is 1900.
      { requiredKeys: ['day'] },
    )
    const own = fc.record({
      cost: decimal(14),
      tags: fc.dictionary(text, text, { maxKeys: 5, noNullPrototype: true }),
    })
    // Few shared ones for many rows, and as many as there are rows.
    const bills = fc.sample(
      fc.tuple(fc.array(whole, { minLength: 1, maxLength: 60 }), fc.array(own, { minLength: 1, maxLength: 40 })),
      amount(10, 60, 500),
    )
    let row = 0
    for (const [shared, owned] of bills) {
      const block = new ColumnBlock(columns, ['id', 'cost', 'tags'])
      const parts = shared.map((one) => block.shared(one))
      const maps = owned.map(({ tags }) => ({ value: tags }))
      const rows: Record<string, unknown>[] = []
      for (let n = 0; n < 80; n++) {
        const [of, at] = [(n * 7) % shared.length, (n * 3) % owned.length]
        block.add(parts[of]!, [version(++row), owned[at]!.cost, maps[at]])
        rows.push({ id: idOf(row), ...shared[of]!, ...owned[at]! })
        if (n === 30) await facts.insertBlock('block_toy', block.take())
      }
      await facts.insertBlock('block_toy', block.take())
      await facts.insert('row_toy', rows)
    }
    expect(await read('block_toy')).to.deep.equal(await read('row_toy'))
  })

  it('may have more distinct texts than one or two bytes count', async () => {
    const count = amount(300, 70_000, 70_000)
    const block = new ColumnBlock(columns, ['id', 'low'])
    const shared = block.shared({})
    for (let row = 0; row < count; row++) block.add(shared, [version(row), `text ${row}`])
    await facts.insertBlock('block_toy', block.take())
    const query = `SELECT count() AS n, countIf(low = 'text ' || toString(intDiv(id - bitShiftLeft(toUInt128(5), 64), 65536))) AS equal FROM block_toy`
    const [found] = await (await ch.query({ query, format: 'JSONEachRow' })).json<{ n: string; equal: string }>()
    expect([Number(found!.n), Number(found!.equal)]).to.deep.equal([count, count])
  })

  it('replace each other by their version, within a block and between blocks', async () => {
    const query = 'CREATE TABLE key_toy (name String, id UInt128, low LowCardinality(String))'
    await ch.command({ query: `${query} ENGINE = ReplacingMergeTree(id) ORDER BY name` })
    try {
      const block = new ColumnBlock(columns.slice(0, 1).concat(columns.slice(6, 8)), ['id', 'low'])
      const [one, other] = [block.shared({ name: 'one' }), block.shared({ name: 'other' })]
      block.add(one, [version(2), 'later'])
      block.add(one, [version(1), 'earlier'])
      block.add(other, [version(3), 'earlier'])
      await facts.insertBlock('key_toy', block.take())
      block.add(other, [version(4), 'later'])
      await facts.insertBlock('key_toy', block.take())
      const found = await ch.query({
        query: 'SELECT name, low FROM key_toy FINAL ORDER BY name',
        format: 'JSONEachRow',
      })
      expect(await found.json()).to.deep.equal([
        { name: 'one', low: 'later' },
        { name: 'other', low: 'later' },
      ])
    } finally {
      await ch.command({ query: 'DROP TABLE key_toy' })
    }
  })

  it('have amounts as their exact count of 10^-14, of any size and sign', () => {
    const block = new ColumnBlock([{ name: 'cost', type: 'Decimal(38, 14)' }], ['cost'])
    const shared = block.shared({})
    const near = (n: number) => [n - 1, n]
    const wholes = [0, 89, 90, ...[24, 32, 48, 52].flatMap((bits) => near(2 ** bits)), Number.MAX_SAFE_INTEGER]
    const rests = [0, 1, ...near(2 ** 24), ...near(2 ** 32), 10 ** 14 - 1]
    for (const whole of wholes)
      for (const rest of rests)
        for (const sign of [1, -1]) {
          block.add(shared, [{ whole: sign * whole, rest: sign * rest }])
          const { bytes } = block.take()
          const [low, high] = [bytes.readBigUInt64LE(bytes.length - 16), bytes.readBigInt64LE(bytes.length - 8)]
          const units = BigInt(sign) * (BigInt(whole) * 10n ** 14n + BigInt(rest))
          expect(high * 2n ** 64n + low, `${sign * whole} and ${rest}`).to.equal(units)
        }
  })

  it('are refused before anything is sent if a value does not fit its column', () => {
    const block = new ColumnBlock(columns, ['id'])
    for (const row of [{ low: 5 }, { name: 5 }, { cost: '1e400' }, { day: '9999-12-31' }, { hours: Number.NaN }])
      expect(() => block.add(block.shared(row), [version(1)]), JSON.stringify(row)).to.throw()
    expect(() => new ColumnBlock(columns, ['nothing'])).to.throw('no such column: nothing')
  })
})
