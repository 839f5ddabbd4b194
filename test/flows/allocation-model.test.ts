// tier: deep
/** Rules, teams, resources and tags that change in any order, against a model that knows no more than what there is at the end. */
import { expect } from 'chai'
import type { AllocationSpec } from '#actors/attribution/allocation/allocation.ts'
import { changePolicy, makePolicy, removePolicy } from '#actors/policy/change.ts'
import { allocationDomain } from '#actors/attribution/allocation/allocation.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { allocation } from '#test/harness/allocation.ts'
import { tenant } from '#test/harness/product.ts'

const seeds = ['a', 'b']
const rounds = 6
const stepsEach = 5
const names = ['Data', 'Shop', 'Search', 'Core']
const regions = ['r1', 'r2', 'r3']
const uids = Array.from({ length: 12 }, (_, n) => `i-${n}`)

interface Team {
  id: string
  name: string
}

interface Rule {
  n: number
  spec: AllocationSpec
  enabled: boolean
}

type Facts = { region: string; tag: string }

/** What the rule says of a resource where these are the teams. */
function teamOf({ selector, team, teamFromTag }: AllocationSpec, { region, tag }: Facts, known: readonly Team[]) {
  const wanted = selector?.all[0]?.values?.[0] ?? region
  if (wanted !== region) return undefined
  if (team !== undefined) return known.find(({ id }) => id === team)?.name
  return tag === '' ? undefined : byTag(tag.trim().toLowerCase(), known, teamFromTag?.create)
}

function byTag(value: string, known: readonly Team[], create = false): string | undefined {
  const name = value === 'sh' ? 'shop' : value
  return known.find((team) => team.name.toLowerCase() === name)?.name ?? (create ? `to be made: ${name}` : undefined)
}

for (const seed of seeds)
  it(`allocation by rule ends as its rules say, whatever was done in between: ${seed}`, async () => {
    const org = await tenant()
    const of = allocation(org)
    const rules = new Map<string, Rule>()
    const resources = new Map<string, Facts>()
    let drawn = 0
    const one = <T>(list: readonly T[]): T => list[Math.floor(chance(seed, ++drawn) * list.length)]!
    const teams = async (): Promise<Team[]> => (await org.get('/teams?limit=100')).body.data.items
    const anySpec = async (): Promise<AllocationSpec> => {
      const known = await teams()
      const selector = one([false, true])
        ? { selector: { all: [{ attr: 'region', op: 'equals' as const, values: [one(regions)] }] } }
        : {}
      const priority = one([1, 2, 3])
      if (known.length > 0 && one([false, true])) return { priority, ...selector, team: one(known).id }
      return {
        priority,
        ...selector,
        teamFromTag: { key: 'TEAM', create: one([false, true]), aliases: { sh: 'shop' } },
      }
    }
    const policyOf = (rule: Rule) => ({
      targetType: 'organisation',
      name: `Rule ${rule.n}`,
      spec: rule.spec,
      enabled: rule.enabled,
    })
    const find = async (...found: string[]) => {
      for (const uid of found)
        resources.set(uid, { region: one(regions), tag: one(['', 'data', 'SHOP', ' search ', 'sh', 'Core']) })
      await of.discover(
        ...[...new Set(found)].map((resourceUid) => {
          const { region, tag } = resources.get(resourceUid)!
          return { resourceUid, region, tags: (tag === '' ? {} : { team: tag }) as Record<string, string> }
        }),
      )
      await of.touch(...found)
    }
    const steps: Record<string, () => Promise<unknown>> = {
      make: async () => {
        const rule = { n: ++drawn, spec: await anySpec(), enabled: one([true, true, false]) }
        const { id } = await of.changed((tx) => makePolicy(tx, allocationDomain, policyOf(rule)))
        rules.set(id, rule)
      },
      change: async () => {
        const [id, rule] = one([...rules])
        const next = { ...rule, spec: await anySpec(), enabled: one([true, false]) }
        await of.changed((tx) => changePolicy(tx, allocationDomain, id, policyOf(next)))
        rules.set(id, next)
      },
      remove: async () => {
        const id = one([...rules.keys()])
        await of.changed((tx) => removePolicy(tx, allocationDomain, id))
        rules.delete(id)
      },
      team: async () => org.send('POST', '/teams', { name: one(names) }),
      leave: async () => org.send('DELETE', `/teams/${one(await teams())?.id ?? 'none'}`),
      rename: async () => org.send('PATCH', `/teams/${one(await teams())?.id ?? 'none'}`, { name: one(names) }),
      find: () => find(...[1, 2, 3, 4].map(() => one(uids))),
    }
    const kinds = ['make', 'make', 'find', 'change', 'change', 'remove', 'team', 'leave', 'rename']

    /** The first rule, as it stands at the end, that has a team among those of the end; a name that may be made has been. */
    const expected = async () => {
      const known = await teams()
      const asked = [...rules.values()]
        .filter(({ enabled }) => enabled)
        .toSorted((a, b) => a.spec.priority - b.spec.priority || a.n - b.n)
      const all = [...resources].flatMap(([uid, facts]) => {
        const rule = asked.find(({ spec }) => teamOf(spec, facts, known) !== undefined)
        return rule ? [[`acct-1/${uid}`, `${teamOf(rule.spec, facts, known)} Rule ${rule.n}`]] : []
      })
      return Object.fromEntries(all)
    }

    let moved = 0
    for (const name of names.slice(0, 2)) await of.team(name)
    await find(...uids)
    await steps['make']!()
    for (let round = 0; round < rounds; round++) {
      for (let step = 0; step < stepsEach; step++) {
        const kind = one(rules.size === 0 ? ['make'] : kinds)
        await steps[kind]!()
      }
      await of.calm()
      const outcome = await of.outcome()
      expect(outcome, `round ${round}`).to.deep.equal(await expected())
      moved += Object.keys(outcome).length
    }
    expect(moved).to.be.above(10)
  })
