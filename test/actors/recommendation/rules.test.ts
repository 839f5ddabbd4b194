import { expect } from 'chai'
import { allRules, catalogueVersion, ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { checkedRules } from '#actors/recommendation/rule/check.ts'
import { compileProgram, programOf } from '#actors/recommendation/rule/compile.ts'
import type { RuleCondition, Fact, Rule } from '#actors/recommendation/rule/contract.ts'
import { isTerminal } from '#actors/recommendation/rule/evaluate.ts'
import { declares } from '#actors/recommendation/rule/vocabulary.ts'
import {
  factsOf,
  Fixture,
  leavesOf,
  musts,
  opposite,
  pairsOf,
  sourceOf,
  ulp,
  type Facts,
  type Leaf,
} from './fixture.ts'

const rules = allRules()

/** The rule as its file has it. */
const written = (id: string): Record<string, unknown> => {
  const { needs: _needs, ...rule } = structuredClone(ruleOf(id)!)
  return rule
}

describe('the catalogue of rules', () => {
  it('holds 681 rules by cloud, more than the 337 asked for [REC-54, G-67]', () => {
    const counts = Object.fromEntries(
      ['aws', 'gcp', 'azure', 'any'].map((cloud) => [cloud, rules.filter(({ provider }) => provider === cloud).length]),
    )
    expect(counts).to.deep.equal({ aws: 264, gcp: 156, azure: 255, any: 6 })
  })

  it('numbers them by cloud, each once, in order [REC-21] [G-67]', () => {
    const first = { aws: 'RC-1', gcp: 'RC-2', azure: 'RC-3', any: 'RC-ASC-' }
    expect(rules.filter(({ id, provider }) => !id.startsWith(first[provider]))).to.deep.equal([])
    expect(rules.map(({ id }) => id)).to.deep.equal([...new Set(rules.map(({ id }) => id))].toSorted())
    expect(ruleOf('RC-1001')?.name).to.equal('Stop idle EC2 instances')
    expect(ruleOf('RC-9001')).to.equal(undefined)
  })

  it('has a version, which its files make', () => {
    expect(catalogueVersion()).to.match(/^[0-9a-f]{16}$/)
  })

  it('needs of a rule all that it reads, and no more', () => {
    expect(ruleOf('RC-1006')!.needs).to.deep.equal({
      windowDays: 14,
      metrics: [
        'connections.max.14d',
        'connections.p95.14d',
        'cpu_percent.avg.14d',
        'cpu_percent.p95.14d',
        'iops.avg.14d',
        'iops.p95.14d',
      ],
      bill: ['cost_30d'],
      specs: ['cluster_id', 'is_replica'],
      rel: [],
      hist: [],
      ref: [],
      policy: [],
      gov: [],
      scale: [],
    })
  })

  it('asks approval for whatever a call deletes, stops or changes', () => {
    const calls = rules.filter(({ action }) => action.automation !== 'manual')
    expect(calls.filter(({ action }) => !action.destructive)).to.deep.equal([])
    expect(rules.filter((rule) => isTerminal(rule) && !rule.action.destructive)).to.deep.equal([])
  })

  it('names the deallocated state as the target of a machine that is stopped but billed', () => {
    expect(ruleOf('RC-3002')!.target).to.deep.equal({ kind: 'set', spec: { power_state: 'deallocated' } })
  })

  it('never reads the status of a type that runs as long as it exists', () => {
    const others = ['RC-1048', 'RC-1390', 'RC-1392', 'RC-2390', 'RC-2392', 'RC-3390', 'RC-3392']
    expect(others.map((id) => ruleOf(id)!.needs.hist)).to.deep.equal([
      ['attribute_days.state'],
      ...Array.from({ length: 3 }, () => [['attribute_days.phase'], ['attribute_days.endpoint_count']]).flat(),
    ])
  })

  it('keeps every wanted use and price share in a parameter', () => {
    const literals = rules.filter(({ target, let: derived }) => /,(?:70|80)\]/.test(JSON.stringify([target, derived])))
    expect(literals.map(({ id }) => id)).to.deep.equal([])
  })

  it('lets no machine become smaller than its highest peak', () => {
    const smaller = rules.filter(({ target, params }) => target.kind === 'fit' && 'cpu_p99_max' in params)
    expect(smaller.length).to.be.at.least(10)
    for (const { id, target } of smaller) expect(JSON.stringify(target['need']), id).to.match(/\.max\.|@let\./)
  })
})

describe('a rule that is wrong stops the start, by its id', () => {
  const wrong: [string, (rule: Record<string, unknown>) => void, string][] = [
    [
      'a path nobody declares',
      (rule) => (rule['when'] = leaf('specs.colour', 'eq', ['red'])),
      '/when/attr: specs.colour is not defined for any of the resource types',
    ],
    [
      'a fact there is not',
      (rule) => (rule['when'] = leaf('res.colour', 'eq', ['red'])),
      '/when/attr: res.colour is not a known fact',
    ],
    [
      'a metric without an aggregate',
      (rule) => (rule['when'] = leaf('metric.connections.14d', 'eq', [0])),
      '/when/attr: metric.connections.14d is not a metric aggregate',
    ],
    [
      'a parameter there is not',
      (rule) => (rule['when'] = leaf('specs.engine', 'eq', ['$x'])),
      '/when/values/0: unknown parameter x',
    ],
    [
      'an operator there is not',
      (rule) => (rule['when'] = leaf('specs.engine', 'matches', ['x'])),
      '/when/op: unknown operator matches',
    ],
    [
      'too many values',
      (rule) => (rule['when'] = leaf('specs.engine', 'exists', ['x'])),
      '/when/values: exists takes 0 values',
    ],
    ['a function there is not', (rule) => (rule['let'] = { x: ['pow', 2, 3] }), '/let/x: unknown function pow'],
    ['a value that reads itself', (rule) => (rule['let'] = { x: ['add', 1, '@let.x'] }), '/let/x: uses let.x'],
    [
      'a type there is not',
      (rule) => (rule['applies'] = { ...(rule['applies'] as object), types: ['aws-abacus'] }),
      '/applies/types: unknown resource type aws-abacus',
    ],
    [
      'a title that may say unknown',
      (rule) => (rule['title'] = 'Delete {specs.engine}.'),
      '/title: {specs.engine}: can only be used in from or to',
    ],
    ['a filter there is not', (rule) => (rule['title'] = 'Delete {name|loud}.'), '/title: {name|loud}: unknown filter'],
    [
      'a delete nobody approves',
      (rule) => (rule['action'] = { ...(rule['action'] as object), destructive: false }),
      '/action/destructive: data_loss needs approval',
    ],
    ['a property there is not', (rule) => (rule['colour'] = 'red'), '/colour: '],
  ]
  function leaf(attr: string, op: string, values: unknown[]): unknown {
    return { attr, op, values }
  }

  for (const [what, spoil, said] of wrong)
    it(what, () => {
      const rule = written('RC-1006')
      spoil(rule)
      expect(() => checkedRules([written('RC-1007'), rule])).to.throw(Error, `RC-1006 ${said}`)
    })

  it('an id that is there twice', () => {
    expect(() => checkedRules([written('RC-1006'), written('RC-1006')])).to.throw(Error, 'RC-1006 is defined twice')
  })

  it('while those that are right pass', () => {
    expect(checkedRules([written('RC-1006')])).to.have.length(1)
  })
})

const pairs = pairsOf(rules)

/** What the compiled rule says of facts. */
function judged(rule: Rule, type: string, facts: Facts) {
  const program = programOf(type)
  const one = program.rules.find(({ rule: { id } }) => id === rule.id)!
  return one.outcome(program.slots(sourceOf(type, facts)))
}

/** Pairs of which something is not as it should be. */
const failing = (says: (rule: Rule, type: string) => string | undefined): string[] =>
  pairs.flatMap(({ rule, type }) => {
    const wrong = says(rule, type)
    return wrong === undefined ? [] : [`${rule.id} on ${type}: ${wrong}`]
  })

const expected = (wanted: string, got: string, of = ''): string | undefined =>
  wanted === got ? undefined : `${of} ${got}, not ${wanted}`

/** Two neighbouring doubles of a fact behind a derived value, of which one makes the rule fire and the other not. */
function turnOf(rule: Rule, type: string, leaf: Leaf): { path: string; values: number[] } | undefined {
  const { facts } = new Fixture(rule, type)
  const firesAt = (path: string, value: number) => judged(rule, type, { ...facts, [path]: value }).outcome === 'fires'
  for (const path of factsOf(rule, leaf).filter((one) => readers(rule, one) === 1)) {
    const start = Number(facts[path])
    const end = [1e15, 0].find((value) => judged(rule, type, { ...facts, [path]: value }).outcome === 'clear')
    if (end === undefined || !firesAt(path, start)) continue
    let [low, high] = [start, end]
    while ((low + high) / 2 !== low && (low + high) / 2 !== high)
      if (firesAt(path, (low + high) / 2)) low = (low + high) / 2
      else high = (low + high) / 2
    return { path, values: [low, high] }
  }
  return undefined
}

/** Whether the path only stands in for another that the resource does not have. */
const isSpare = (rule: Rule, path: string): boolean =>
  JSON.stringify(rule.let ?? {}).includes(`["first","@metric.dtu_percent.p99.14d","@${path}"]`)

/** How many leaves read a path. */
const readers = (rule: Rule, path: string): number =>
  leavesOf(rule.when).filter((leaf) => factsOf(rule, leaf).includes(path)).length

/** Makes a condition false, whatever its other parts say. */
function spoiled(fixture: Fixture, of: RuleCondition): Facts {
  if ('all' in of) return spoiled(fixture, of.all[0]!)
  const leaves = leavesOf(of)
  const changes = leaves.flatMap((leaf) => {
    if (!leaf.attr.startsWith('let.')) return [[leaf.attr, opposite(leaf, fixture.bound(leaf))] as const]
    return factsOf(fixture.rule, leaf).map((path) => [path, 1e12] as const)
  })
  return { ...fixture.facts, ...Object.fromEntries(changes) }
}

describe(`each of ${pairs.length} pairs of a rule and a type`, () => {
  it('fires on facts that its condition asks for', () => {
    expect(
      failing((rule, type) => expected('fires', judged(rule, type, new Fixture(rule, type).facts).outcome)),
    ).to.deep.equal([])
  })

  it('is clear where a part that must hold does not', () => {
    const wrong = failing((rule, type) => {
      const fixture = new Fixture(rule, type)
      const direct = musts(rule.when).find(({ attr }) => !attr.startsWith('let.') && declares(type, attr))
      if (!direct) return expected('clear', judged(rule, type, spoiled(fixture, rule.when)).outcome)
      const isAge = direct.attr === 'res.age_days'
      const value: Fact = isAge ? rule.applies.minAgeDays : opposite(direct, fixture.bound(direct))
      const facts = { ...fixture.facts, [direct.attr]: value } as Facts
      return expected('clear', judged(rule, type, facts).outcome)
    })
    expect(wrong).to.deep.equal([])
  })

  it('turns at its threshold, one ulp wide', () => {
    let found = 0
    const wrong = failing((rule, type) => {
      const fixture = new Fixture(rule, type)
      const leaf = musts(rule.when).find(
        ({ attr, op, values }) =>
          /^[lg]te?$/.test(op) &&
          !attr.startsWith('let.') &&
          !String(values[0]).startsWith('@let.') &&
          readers(rule, attr) === 1,
      )
      const bound = leaf && fixture.bound(leaf)
      if (leaf === undefined || typeof bound !== 'number') return undefined
      if (leaf.attr === 'res.age_days' && bound <= rule.applies.minAgeDays) return undefined
      found++
      const at = judged(rule, type, { ...fixture.facts, [leaf.attr]: bound }).outcome
      const beside = ulp(bound, ['lt', 'gte'].includes(leaf.op) ? -1 : 1)
      const next = judged(rule, type, { ...fixture.facts, [leaf.attr]: beside }).outcome
      const [wantedAt, wantedNext] = leaf.op.endsWith('e') ? ['fires', 'clear'] : ['clear', 'fires']
      return expected(wantedAt!, at, `${leaf.attr} at ${bound}:`) ?? expected(wantedNext!, next, `beside ${bound}:`)
    })
    expect(wrong).to.deep.equal([])
    expect(found).to.be.at.least(400)
  })

  it('turns where a derived value does, between two doubles', () => {
    let found = 0
    const wrong = failing((rule, type) => {
      const leaf = musts(rule.when).find(({ attr, op }) => attr.startsWith('let.') && /^[lg]te?$/.test(op))
      const turn = leaf && turnOf(rule, type, leaf)
      if (!leaf || !turn) return undefined
      found++
      return turn.values
        .map((value) => {
          const fixture = new Fixture(rule, type)
          fixture.facts[turn.path] = value
          const wanted = fixture.holds(leaf) ? 'fires' : 'clear'
          return expected(wanted, judged(rule, type, fixture.facts).outcome, `${turn.path} at ${value}:`)
        })
        .find((said) => said !== undefined)
    })
    expect(wrong).to.deep.equal([])
    expect(found).to.be.at.least(40)
  })

  it('looks at a resource from the very age on that it asks for', () => {
    const wrong = failing((rule, type) => {
      const { minAgeDays } = rule.applies
      const readsAge = JSON.stringify(rule.when).includes('res.age_days')
      if (minAgeDays === 0 || readsAge) return undefined
      const { facts } = new Fixture(rule, type)
      const young = judged(rule, type, { ...facts, 'res.age_days': ulp(minAgeDays, -1) })
      const old = judged(rule, type, { ...facts, 'res.age_days': minAgeDays })
      const unknown = judged(rule, type, { ...facts, 'res.age_days': undefined })
      return (
        expected('hold', young.outcome, 'young:') ??
        expected('fires', old.outcome, 'old:') ??
        expected('hold res.age_days', `${unknown.outcome} ${unknown.missing.join()}`)
      )
    })
    expect(wrong).to.deep.equal([])
  })

  it('holds without data, and says what is missing', () => {
    const wrong = failing((rule, type) => {
      const { facts } = new Fixture(rule, type)
      const known: Facts = Object.fromEntries(
        Object.entries(facts).filter(([path]) => /^(?:res|policy)\./.test(path)),
      ) as Facts
      const reads = leavesOf(rule.when)
        .flatMap((leaf) => factsOf(rule, leaf))
        .filter((path) => declares(type, path) && !(path in known))
      if (reads.length === 0) return undefined
      const { outcome, missing } = judged(rule, type, known)
      return (
        expected('hold', outcome) ?? expected([...new Set(reads)].toSorted().join(), [...missing].toSorted().join())
      )
    })
    expect(wrong).to.deep.equal([])
  })

  it('neither fires nor clears where one fact that must hold is unknown', () => {
    const wrong = failing((rule, type) => {
      const { facts } = new Fixture(rule, type)
      const must = musts(rule.when).flatMap((leaf) => factsOf(rule, leaf))
      const paths = must.filter((path) => declares(type, path) && !isSpare(rule, path))
      return paths
        .map((path) =>
          expected('hold', judged(rule, type, { ...facts, [path]: undefined }).outcome, `without ${path}:`),
        )
        .find((said) => said !== undefined)
    })
    expect(wrong).to.deep.equal([])
  })

  it('ends nothing where anything that its condition reads is unknown, in whatever branch', () => {
    let looked = 0
    const wrong = failing((rule, type) => {
      if (!isTerminal(rule)) return undefined
      const { facts } = new Fixture(rule, type)
      const paths = leavesOf(rule.when)
        .flatMap((leaf) => factsOf(rule, leaf))
        .filter((path) => declares(type, path))
      looked += paths.length
      return paths
        .map((path) =>
          expected('hold', judged(rule, type, { ...facts, [path]: undefined }).outcome, `without ${path}:`),
        )
        .find((said) => said !== undefined)
    })
    expect(wrong).to.deep.equal([])
    expect(looked).to.be.at.least(500)
  })
})

describe('a rule of a type', () => {
  it('is compiled from the catalogue unless another is given', () => {
    const rule = ruleOf('RC-1006')!
    expect(compileProgram('aws-rds', [rule]).rules.map((one) => one.rule.id)).to.deep.equal(['RC-1006'])
  })
})
