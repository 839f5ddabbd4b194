import { expect } from 'chai'
import { condition, type Truth } from '#actors/recommendation/rule/condition.ts'
import { absent, type RuleCondition, type Expr, type Fact } from '#actors/recommendation/rule/contract.ts'
import { expression, scopeOf, type Layout } from '#actors/recommendation/rule/expression.ts'

/** A layout and slots over facts by path. */
function over(facts: Record<string, Fact>, lets: Record<string, Expr> = {}) {
  const paths = Object.keys(facts)
  const at: Layout = {
    slot: (path) => paths.indexOf(path),
    leftOut: () => undefined,
    letNames: Object.keys(lets),
    lets: [],
  }
  for (const one of Object.values(lets)) at.lets.push(expression(one, at))
  const scope = scopeOf(Object.values(facts), { max: 10, name: 'x' }, false, at.letNames.length)
  return { at, scope }
}

function valueOf(expr: Expr, facts: Record<string, Fact> = {}): Fact {
  const { at, scope } = over(facts)
  return expression(expr, at)(scope)
}

function truthOf(of: RuleCondition, facts: Record<string, Fact>, lets: Record<string, Expr> = {}): Truth {
  const { at, scope } = over(facts, lets)
  return condition(of, at)(scope)
}

const leaf = (op: string, ...values: (number | string | boolean)[]): RuleCondition => ({ attr: 'a', op, values })

describe('expressions of rules', () => {
  const known: [Expr, Fact][] = [
    [['add', 1, 2, 3], 6],
    [['sub', 1, 3], -2],
    [['mul', 2, 3, 4], 24],
    [['div', 1, 4], 0.25],
    [['min', 3, 1, 2], 1],
    [['max', 3, 1, 2], 3],
    [['ceil', 1.2], 2],
    [['ceil', 3.0000000001], 3],
    [['floor', 2.9999999999], 3],
    [['floor', 1.8], 1],
    [['abs', -2], 2],
    [['round_up', 130, 64], 192],
    [['round_up', 128, 64], 128],
    [['mul', '$max', '@n'], 40],
    [['add', '@text', 1], 8],
    ['$name', 'x'],
    ['@version', '1.30'],
    ['gp3', 'gp3'],
    [false, false],
    [['first', '@none', '@gone', '@n'], 4],
  ]
  const facts: Record<string, Fact> = {
    n: 4,
    text: '7',
    version: '1.30',
    none: null,
    gone: absent,
    unknown: undefined,
    word: 'many',
  }

  for (const [expr, value] of known)
    it(`${JSON.stringify(expr)} is ${String(value)}`, () => {
      expect(valueOf(expr, facts)).to.equal(value)
    })

  const unknown: Expr[] = [
    ['add', 1, '@unknown'],
    ['add', 1, '@none'],
    ['add', 1, '@gone'],
    ['add', 1, '@word'],
    ['div', 1, 0],
    ['div', 0, 0],
    ['first', '@none', '@unknown', '@n'],
    '@unknown',
    '@none',
  ]
  for (const expr of unknown)
    it(`${JSON.stringify(expr)} is not known`, () => {
      expect(valueOf(expr, facts)).to.equal(undefined)
    })
})

describe('conditions of rules', () => {
  /** Of a value, of nothing, of what is unknown, and of what the type does not have. */
  const leaves: [RuleCondition, Fact, Truth, Truth][] = [
    [leaf('eq', 'RUNNING', 'ready'), 'Running', true, false],
    [leaf('eq', 5), '5', true, false],
    [leaf('eq', 5), 5.1, false, false],
    [leaf('ne', 'spot'), 'Spot', false, true],
    [leaf('in', 'a', 'b'), 'B', true, false],
    [leaf('not_in', 'a', 'b'), 'c', true, true],
    [leaf('lt', 10), 10, false, false],
    [leaf('lte', '$max'), 10, true, false],
    [leaf('gt', 10), 10.5, true, false],
    [leaf('gte', 10), 9, false, false],
    [leaf('contains', 'SQL'), 'Windows with sql Server', true, false],
    [leaf('contains', '22'), ['22', '3389'], true, false],
    [leaf('not_contains', 'SQL'), 'Linux', true, true],
    [leaf('starts_with', 'node'), 'NodeJS20.x', true, false],
    [leaf('ends_with', '.x'), 'nodejs20.X', true, false],
    [leaf('is_true'), true, true, false],
    [leaf('is_true'), 'true', false, false],
    [leaf('is_false'), false, true, false],
    [leaf('exists'), 0, true, false],
    [leaf('missing'), 0, false, true],
  ]
  for (const [of, value, truth, ofNothing] of leaves)
    it(`${JSON.stringify(of)} of ${JSON.stringify(value)} is ${truth}, of nothing ${ofNothing}, of the unknown unknown`, () => {
      expect(truthOf(of, { a: value })).to.equal(truth)
      for (const nothing of [null, '', []]) expect(truthOf(of, { a: nothing })).to.equal(ofNothing)
      expect(truthOf(of, { a: undefined })).to.equal(undefined)
      expect(truthOf(of, { a: absent })).to.equal('op' in of && of.op === 'missing')
    })

  it('cannot compare with what is unknown, and never with nothing', () => {
    const of: RuleCondition = { attr: 'a', op: 'lt', values: ['@b'] }
    expect(truthOf(of, { a: 1, b: 2 })).to.equal(true)
    expect(truthOf(of, { a: 1, b: undefined })).to.equal(undefined)
    expect(truthOf(of, { a: 1, b: null })).to.equal(false)
    expect(truthOf(of, { a: 'many', b: 2 })).to.equal(undefined)
  })

  it('take a list fact for its items', () => {
    const of: RuleCondition = { attr: 'a', op: 'in', values: ['@b'] }
    expect(truthOf(of, { a: 'dev', b: ['dev', 'staging'] })).to.equal(true)
    expect(truthOf(of, { a: 'prod', b: ['dev', 'staging'] })).to.equal(false)
    expect(truthOf(of, { a: 'dev', b: [] })).to.equal(false)
  })

  it('follow three-valued logic', () => {
    const truths: Record<string, Fact> = { t: true, f: false, u: undefined }
    const is = (attr: string): RuleCondition => ({ attr, op: 'is_true', values: [] })
    const all = (...names: string[]) => truthOf({ all: names.map(is) }, truths)
    const any = (...names: string[]) => truthOf({ any: names.map(is) }, truths)
    expect([all('t', 't'), all('t', 'u'), all('u', 'f'), all('u', 'u')]).to.deep.equal([
      true,
      undefined,
      false,
      undefined,
    ])
    expect([any('f', 'f'), any('f', 'u'), any('u', 't'), any('u', 'u')]).to.deep.equal([
      false,
      undefined,
      true,
      undefined,
    ])
    expect(['t', 'f', 'u'].map((name) => truthOf({ not: is(name) }, truths))).to.deep.equal([false, true, undefined])
  })

  it('calculate a derived value once, and only when it is asked for', () => {
    const lets: Record<string, Expr> = { double: ['mul', 2, '@a'], more: ['add', '@let.double', 1] }
    const of: RuleCondition = {
      all: [
        { attr: 'let.more', op: 'eq', values: [7] },
        { attr: 'let.double', op: 'lt', values: ['@let.more'] },
      ],
    }
    expect(truthOf(of, { a: 3 }, lets)).to.equal(true)
    expect(truthOf(of, { a: 4 }, lets)).to.equal(false)
    expect(truthOf(of, { a: undefined }, lets)).to.equal(undefined)
  })
})
