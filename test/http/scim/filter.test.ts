import { expect } from 'chai'
import fc from 'fast-check'
import { Fault } from '#engine/value/fault.ts'
import { conditionOf, truthOf, type Columns } from '#http/scim/filter.ts'

const columns: Columns = {
  username: { sql: 'u', is: 'folded' },
  externalid: { sql: 'x', is: 'exact' },
  active: { sql: 'a', is: 'boolean' },
  'emails.value': { sql: 'e', is: 'folded' },
  'emails.type': { sql: 't', is: 'folded' },
  'meta.lastmodified': { sql: 'm', is: 'time' },
}
const of = (filter?: string) => {
  const { sql, params } = conditionOf(filter, columns)
  return [sql, ...params]
}
const typeOf = (filter: string): unknown => {
  try {
    return of(filter)
  } catch (error) {
    return error instanceof Fault ? error.detail['scimType'] : error
  }
}

describe('a filter of SCIM', () => {
  it('is a condition whose values stand in parameters alone', () => {
    const read: Readonly<Record<string, unknown[]>> = {
      'userName eq "A\\"; drop"': ['lower(u) = ?', 'a"; drop'],
      'USERNAME Eq "A"': ['lower(u) = ?', 'a'],
      'externalId eq "A"': ['x = ?', 'A'],
      'externalId ne "A"': ['x is distinct from ?', 'A'],
      'externalId pr': ['x is not null'],
      'externalId eq null': ['x is null'],
      'userName sw "a%_"': ['starts_with(lower(u), ?)', 'a%_'],
      'userName co "B"': ['strpos(lower(u), ?) > 0', 'b'],
      'userName ew "b"': ['right(lower(u), length(?)) = ?', 'b', 'b'],
      'active eq true': ['a = ?', true],
      'active eq "False"': ['a = ?', false],
      'active ne true': ['a = ?', false],
      'meta.lastModified ge "2026-01-01T00:00:00+01:00"': ['m >= ?', '2025-12-31T23:00:00.000Z'],
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "a"': ['lower(u) = ?', 'a'],
      'emails[type eq "work" and value eq "A"]': ['(lower(t) = ? and lower(e) = ?)', 'work', 'a'],
      'not (active eq true)': ['not coalesce((a = ?), false)', true],
      'userName eq "a" or userName eq "b" and active eq true': [
        '(lower(u) = ? or (lower(u) = ? and a = ?))',
        'a',
        'b',
        true,
      ],
    }
    expect(Object.fromEntries(Object.keys(read).map((filter) => [filter, of(filter)]))).to.deep.equal(read)
    expect([of(), of(' ')]).to.deep.equal([['true'], ['true']])
  })

  it('that is none, or asks about what is not known, is refused as invalidFilter', () => {
    const wrong = [
      'userName',
      'userName eq',
      'userName eq x',
      `userName eq 'x'`,
      'eq "x"',
      '(active eq true',
      'userName is "x"',
      'constructor eq "x"',
      'toString pr',
      'password eq "x"',
      'emails[foo eq "x"]',
      'u = 1; drop table member',
      'userName eq "x" not userName pr',
      'active eq true and userName pr not (userName pr)',
      'active gt true',
      'active eq "maybe"',
      'userName gt "a"',
      'meta.lastModified eq "soon"',
      'meta.lastModified co "2"',
    ]
    expect(wrong.filter((filter) => typeOf(filter) !== 'invalidFilter')).to.deep.equal([])
    const many = (count: number) => typeOf(Array(count).fill('active eq true').join(' and '))
    expect([many(51), many(60)]).to.deep.equal(['tooMany', 'tooMany'])
    expect(many(50)).to.have.length(51)
  })

  it('never breaks, and has as many parameters as its condition has places', () => {
    const word = fc.constantFrom(
      'userName',
      'active',
      'eq',
      'pr',
      'and',
      'or',
      'not',
      '(',
      ')',
      '[',
      ']',
      '"x"',
      'true',
      '.',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    )
    fc.assert(
      fc.property(text, (filter) => {
        const found = typeOf(filter)
        if (!Array.isArray(found)) return found === 'invalidFilter' || found === 'tooMany'
        return (String(found[0]).match(/\?/g) ?? []).length === found.length - 1
      }),
      { numRuns: 1000 },
    )
  })

  it('reads truth in every way that directories write it', () => {
    expect([true, 'True', 'TRUE', 'true'].map(truthOf)).to.deep.equal([true, true, true, true])
    expect([false, 'False', 'false'].map(truthOf)).to.deep.equal([false, false, false])
    expect(['', 'yes', 1, null, undefined, {}].map(truthOf)).to.deep.equal(Array(6).fill(undefined))
  })
})
