import { expect } from 'chai'
import pg from 'pg'
import { arrayOf, arrayOfJson } from '#engine/store/postgres/array.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { testStores } from '#test/harness/stores.ts'

const texts = [
  '',
  ' ',
  'null',
  'NULL',
  '{a,b}',
  'a "b" \\ c',
  'line\nline\ttab\r\b\f',
  '\\n',
  '\\\\"',
  String.raw`C:\new\table`,
  'é ü 漢 \u{1f600} \u2028 \u007f',
  '\u0001\u001f',
  "'; drop table x; --",
]

describe('an array in the text of PostgreSQL', () => {
  let client: pg.Client
  before(async () => {
    client = new pg.Client((await testStores()).postgres.url)
    await client.connect()
  })
  after(() => client.end())
  const read = async (type: string, literal: string): Promise<unknown[]> =>
    (
      await client.query(`select v from unnest($1::${type}[]) with ordinality as r(v, n) order by n`, [literal])
    ).rows.map(({ v }) => v as unknown)

  it('is read as the texts it was made of, whatever stands in them', async () => {
    expect(await read('text', arrayOf([]))).to.deep.equal([])
    expect(await read('text', arrayOf([...texts, null]))).to.deep.equal([...texts, null])
    // Each by itself: what one needs changes how the others are written.
    for (const text of texts) expect(await read('text', arrayOf([text]))).to.deep.equal([text])
  })

  it('is read as numbers, truth values and times', async () => {
    expect(await read('float8', arrayOf([0.1, -1e-7, 1e21, null, 5]))).to.deep.equal([0.1, -1e-7, 1e21, null, 5])
    expect(await read('int', arrayOf([1, null, -2_147_483_648]))).to.deep.equal([1, null, -2_147_483_648])
    expect(await read('bigint', arrayOf(['9007199254740993', 7]))).to.deep.equal(['9007199254740993', '7'])
    expect(await read('numeric(38,14)', arrayOf(['0.1', null]))).to.deep.equal(['0.10000000000000', null])
    expect(await read('boolean', arrayOf([true, null, false]))).to.deep.equal([true, null, false])
    const at = new Date('2026-01-15T10:00:00.123Z')
    expect(await read('timestamptz(3)', arrayOf([at, null, at.toISOString()]))).to.deep.equal([at, null, at])
    // Beside a text that is written another way.
    expect(await read('text', arrayOf([at, 'a\nb', 1, true]))).to.deep.equal([at.toISOString(), 'a\nb', '1', 'true'])
  })

  it('holds JSON, and null where there is none', async () => {
    const values = [{ a: texts }, [], [null, 1.5, { 'k"\\\n': false }], 'te"xt\n', 7, true, null, ...texts]
    const found = await client.query(
      'select v::jsonb as v from unnest($1::text[]) with ordinality as r(v, n) order by n',
      [arrayOfJson(values)],
    )
    expect(found.rows.map(({ v }) => v as unknown)).to.deep.equal(values)
  })

  it('is read as what 20,000 random texts were', async () => {
    const alphabet = ['"', '\\', '\n', 'n', '{', '}', ',', ' ', 'u', '0', '\u0007', 'é', '\u{1f600}', 'a']
    let drawn = 0
    const draw = () => alphabet[Math.floor(chance('array', drawn++) * alphabet.length)]!
    const made = Array.from({ length: 20_000 }, (_, n) => Array.from({ length: n % 9 }, draw).join(''))
    for (let at = 0; at < made.length; at += 40) {
      const some = made.slice(at, at + 40)
      expect(await read('text', arrayOf(some))).to.deep.equal(some)
    }
  })
})
