import { expect } from 'chai'
import fc from 'fast-check'
import { governanceDefaults } from '#actors/recommendation/policy/governance.ts'
import { compileOverrides } from '#actors/recommendation/policy/override.ts'
import { Replayer, type Sheet, type Side } from '#actors/recommendation/replay/replay.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'
import { programOf } from '#actors/recommendation/rule/compile.ts'
import { kindOf } from '#actors/recommendation/rule/vocabulary.ts'
import { isSettled, type SheetFinding } from '#actors/recommendation/audit/fact-sheet.ts'
import { AuditedVolume, organizationNow, type OrganizationNow } from '#test/harness/audit.ts'
import { tables } from '#test/harness/reference.ts'
import type { Done } from '#test/harness/turn.ts'
import { amount } from '#test/harness/tier.ts'

const dayMs = 86_400_000
const dawn = Date.parse('2026-01-01T04:45:00Z')

interface Kept extends Sheet {
  layout: string[]
}

/** The sheets that turns wrote. */
const sheetsOf = (turns: readonly Done[]): Kept[] =>
  turns
    .flatMap(({ facts }) => facts.filter(({ table }) => table === 'fact_sheet'))
    .map(({ row }) => ({
      at: Date.parse(row.at),
      resource: JSON.parse(row.resource),
      facts: row.facts,
      found: row.found === '' ? {} : JSON.parse(row.found),
      layout: row.layout.split(','),
    }))

const sideOf = (org: OrganizationNow, ruleIds: readonly string[], rules = org.rules): Side => ({
  governance: { ...governanceDefaults, ...org.governance },
  overrides: compileOverrides(rules.map((spec, n) => ({ id: `p-${n}`, name: '', spec, createdAt: new Date(n) }))),
  references: (at) => tables.at({ now: new Date(at), families: org.governance.sizeFamilies ?? [] }),
  rules: ruleIds.map((id) => ruleOf(id)!),
  faulty: (id) => expect.fail(`${id} threw`),
})

function replayed(type: string, side: Side, kept: readonly Kept[]) {
  const replayer = new Replayer(type, side)
  const asked = kept.map((sheet) => ({
    ...sheet,
    facts: replayer.paths.map((path) => sheet.facts[sheet.layout.indexOf(path)] ?? ''),
  }))
  return replayer
    .days('acct-1', asked)
    .map(({ day, stood }) => [day, ...stood.map(({ ruleId, usd }) => `${ruleId} ${usd}`)])
}

const counts = ({ open, dismissed }: SheetFinding): boolean => open === 'known' && !dismissed

/** What was found, as the audit itself told it. */
const found = (ruleIds: readonly string[], kept: readonly Kept[]) =>
  kept.map((sheet) => [
    new Date(sheet.at).toISOString().slice(0, 10),
    ...ruleIds
      .filter((id) => sheet.found[id]?.open)
      .map((id) => `${id} ${counts(sheet.found[id]!) ? sheet.found[id]!.usd : 0}`),
  ])

const orphan = { state: 'available', days_detached: 21, volume_type: 'gp3', encrypted: true }

describe('days judged again', () => {
  const history = (more: object = {}) => {
    const volume = new AuditedVolume(organizationNow({ references: tables.at({ now: new Date(dawn), families: [] }) }))
    volume.discover({ specs: orphan }, { at: dawn - 1000 })
    return Array.from({ length: 4 }, (_, n) => {
      const specs = { ...orphan, days_detached: 21 + n, ...more }
      volume.discover({ specs }, { at: dawn + n * dayMs - 500 })
      return volume.gather({ 'bill.cost_30d': 8 + n }, {}, { at: dawn + n * dayMs })
    })
  }

  it('are what was found by the figures they went by, and what others would have found by others', () => {
    const kept = sheetsOf(history())
    expect(kept.length).to.equal(4)
    const org = organizationNow()
    expect(replayed('aws-ebs-volume', sideOf(org, ['RC-1301']), kept)).to.deep.equal([
      ['2026-01-01', 'RC-1301 8'],
      ['2026-01-02', 'RC-1301 9'],
      ['2026-01-03', 'RC-1301 10'],
      ['2026-01-04', 'RC-1301 11'],
    ])
    const [name] = Object.keys(ruleOf('RC-1301')!.params)
    const later = [{ ruleId: 'RC-1301', params: { [name!]: 23 } }]
    expect(replayed('aws-ebs-volume', sideOf(org, ['RC-1301'], later), kept)).to.deep.equal([
      ['2026-01-01'],
      ['2026-01-02'],
      ['2026-01-03', 'RC-1301 10'],
      ['2026-01-04', 'RC-1301 11'],
    ])
    const off = [{ ruleId: 'RC-1301', enabled: false }]
    expect(replayed('aws-ebs-volume', sideOf(org, ['RC-1301'], off), kept)).to.deep.equal(
      ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'].map((day) => [day]),
    )
  })

  it('say which rule throws, and count it as not known there', () => {
    const kept = sheetsOf(history({ volume_type: 'gp2', iops: 300, throughput_mibps: 100 }))
    const faults = new Set<string>()
    const side = sideOf(organizationNow(), ['RC-1111'])
    const broken = {
      ...side,
      references: (at: number) => ({
        ...side.references(at),
        price: () => {
          throw new Error('no table')
        },
      }),
      faulty: (id: string) => faults.add(id),
    }
    expect(replayed('aws-ebs-volume', broken, kept).map(([day]) => day)).to.have.length(4)
    expect([...faults]).to.deep.equal(['RC-1111'])
  })

  const types = [
    'aws-ebs-volume',
    'aws-ec2',
    'aws-rds',
    'gcp-vm',
    'azure-disk',
    'aws-eip',
    'aws-alb',
    'azure-nic',
  ] as const
  const sizes = ['m5.large', 'm5.2xlarge', 't3.micro', 'gp3', 'db.m5.large', 'n1-standard-4']
  /** What a path may be; undefined is not known. */
  const valueOf = (type: string, path: string, draw: number): unknown => {
    if (draw % 5 === 0) return undefined
    const kind = kindOf(type, path)
    if (kind === 'bool') return draw % 2 === 0
    if (kind === 'list') return draw % 2 === 0 ? [] : ['a']
    if (kind === 'str' || kind === 'enum') return ['available', 'gp2', 'running', 'dev', null][draw % 5 || 4]
    return [0, 1, 3, 12, 40, 90, 400][draw % 7]
  }
  const settings = (ids: readonly string[]): Partial<OrganizationNow>[] => [
    {},
    { rules: [{ ruleId: ids[0]!, enabled: false }] },
    { governance: { requiredTags: ['owner'], nonprodEnvs: ['prod'] } },
    { governance: { requiredTags: ['owner'] }, rules: [{ ruleId: ids[1 % ids.length]!, enabled: false }] },
  ]
  const event = fc.record({
    kind: fc.constantFrom('sweep', 'sweep', 'sweep', 'discover', 'settle', 'gone'),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
    size: fc.constantFrom(...sizes),
    status: fc.constantFrom('running', 'running', 'stopped', 'pending'),
    hours: fc.oneof(fc.integer({ min: 1, max: 80 }), fc.integer({ min: 100, max: 500 })),
    env: fc.constantFrom('dev', 'prod', ''),
    decision: fc.constantFrom('dismissed', 'applied', 'open'),
  })

  it('find what was found, in every random history: rules that wait for days, exclude each other and cannot tell', () => {
    const seen = { findings: 0, held: 0 }
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.array(event, { minLength: 3, maxLength: 14 }),
        fc.integer({ min: 0, max: 3 }),
        (type, events, governed) => {
          const paths = programOf(type).paths.filter((path) => !isSettled(path))
          const ids = programOf(type).rules.map(({ rule }) => rule.id)
          const org = organizationNow(settings(ids)[governed]!)
          const volume = new AuditedVolume(org)
          const turns: Done[] = []
          const [heard, known] = [{ n: 0 }, { decision: '' }]
          let at = dawn
          for (const [place, one] of events.entries()) {
            at += one.hours * 3_600_000
            org.references = tables.at({ now: new Date(at), families: [] })
            const draws = (path: string) => (one.seed * 31 + path.length * 7 + path.charCodeAt(path.length - 2)) % 1009
            const of = (space: string) =>
              Object.fromEntries(
                paths
                  .filter((path) => path.startsWith(space))
                  .map((path) => [path.slice(space === 'specs.' ? 6 : 0), valueOf(type, path, draws(path))])
                  .filter(([, value]) => value !== undefined),
              )
            if (place === 0 || one.kind === 'discover') {
              const tags = one.env === '' ? {} : { env: one.env }
              const provider = type.split('-')[0] as 'aws'
              const { size: instanceType, status } = one
              volume.discover({ type, provider, instanceType, status, tags, specs: of('specs.') } as never, { at })
            } else if (one.kind === 'settle') {
              const id = Object.keys(volume.state.told)[0] ?? ids[0]!
              known.decision = one.decision
              volume.settle(id, one.decision as 'open', ++heard.n)
            } else if (one.kind === 'sweep') {
              const facts = { ...of('metric.'), ...of('bill.'), ...of('hist.'), ...of('rel.'), ...of('res.managed') }
              const measured = { cpu_percent: { days: 14, stepSeconds: one.seed % 2 ? 300 : 3600, coverage: {} } }
              turns.push(volume.gather(facts as never, { measured }, { at }))
            }
            at = volume.now
          }
          const kept = sheetsOf(turns)
          const expected = found(ids, kept)
          seen.findings += expected.flat().length - expected.length
          seen.held += kept.flatMap((sheet) =>
            Object.values(sheet.found).filter(({ o, open }) => o === 'h' && open),
          ).length
          expect(replayed(type, sideOf(org, ids), kept)).to.deep.equal(expected)
          // One rule by itself, beside the others as they stood.
          const [own = ids[0]!] = kept.flatMap((sheet) => Object.keys(sheet.found))
          if (ids.includes(own)) expect(replayed(type, sideOf(org, [own]), kept)).to.deep.equal(found([own], kept))
        },
      ),
      { numRuns: amount(50, 1000, 10_000) },
    )
    expect(seen.findings, 'findings').to.be.above(amount(20, 1000, 10_000))
    expect(seen.held, 'held').to.be.above(amount(0, 100, 1000))
  })
})
