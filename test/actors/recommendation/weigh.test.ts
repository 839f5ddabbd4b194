import { expect } from 'chai'
import { weigh, type Firing } from '#actors/recommendation/audit/weigh.ts'
import type { ActionType } from '#streams/recommendation.ts'
import { random } from '#test/harness/load.ts'

interface Made {
  id?: string
  type?: ActionType
  group?: readonly [string, number]
  usd?: number
  cost?: number
  dismissed?: boolean
  alternativeTo?: string
  kind?: string
  base?: string
}

const firing = ({
  id = 'RC-1',
  type = 'resize',
  group,
  usd = 0,
  cost = 0,
  dismissed = false,
  alternativeTo,
  kind = 'full',
  base,
}: Made): Firing =>
  ({
    rule: {
      id,
      action: { type },
      saving: { kind, ...(base && { base }) },
      ...(group && { exclusive: { group: group[0], rank: group[1] } }),
      ...(alternativeTo && { alternativeTo }),
    },
    described: { savingUsd: usd, costUsd: cost },
    isDismissed: dismissed,
  }) as unknown as Firing

const nets = (list: readonly Made[], cost: number, wider?: (id: string) => number | undefined) =>
  weigh(list.map(firing), cost, wider).map(({ rule, netUsd, grossUsd, heldBackBy }) => [
    rule.id,
    netUsd,
    grossUsd,
    heldBackBy,
  ])

describe('findings of one resource', () => {
  const resize = { id: 'RC-1101', type: 'resize', usd: 152.64, cost: 276.48 } as const
  const schedule = { id: 'RC-1201', type: 'schedule', usd: 276.48 * (1 - 50 / 168), cost: 276.48 } as const

  it('share its cost: what comes first takes its part, the next saves of what is left [REC-26]', () => {
    expect(nets([schedule, resize], 276.48)).to.deep.equal([
      ['RC-1101', 152.64, 152.64, ''],
      ['RC-1201', 86.98, 194.19, ''],
    ])
  })

  it('that exclude each other are shown by rank; what is held back saves nothing and says who stands in its place', () => {
    const stop = { id: 'RC-1001', type: 'stop', usd: 276.48, cost: 276.48, group: ['compute', 10] } as const
    expect(nets([{ ...resize, group: ['compute', 20] }, stop, schedule], 276.48)).to.deep.equal([
      ['RC-1001', 276.48, 276.48, ''],
      ['RC-1101', 0, 152.64, 'RC-1001'],
      ['RC-1201', 0, 194.19, 'RC-1001'],
    ])
  })

  it('of one rank are shown by what they save, then by their ids; what was dismissed stands in nobody’s way', () => {
    const of = (id: string, usd: number, dismissed = false): Made => ({
      id,
      usd,
      cost: 100,
      group: ['g', 5],
      dismissed,
    })
    const held = (list: readonly Made[]) => nets(list, 100).map(([id, , , by]) => [id, by])
    expect(held([of('B', 10), of('A', 10), of('C', 20)])).to.deep.equal([
      ['C', ''],
      ['A', 'C'],
      ['B', 'C'],
    ])
    expect(held([of('C', 20, true), of('A', 10), of('B', 10)])).to.deep.equal([
      ['C', ''],
      ['A', ''],
      ['B', 'A'],
    ])
    expect(nets([{ ...resize, dismissed: true }, schedule], 276.48)).to.deep.equal([
      ['RC-1101', 152.64, 152.64, ''],
      ['RC-1201', 194.19, 194.19, ''],
    ])
  })

  it('of money that is not its own are not cut: what hangs on it, and what a commitment is taken from', () => {
    const hanging = { id: 'RC-1003', type: 'delete', usd: 40, cost: 40 } as const
    const plan = { id: 'RC-1501', type: 'purchase', usd: 500, cost: 5200, kind: 'commitment' } as const
    expect(nets([hanging, plan], 0)).to.deep.equal([
      ['RC-1003', 40, 40, ''],
      ['RC-1501', 500, 500, ''],
    ])
    const services = { ...plan, base: '@bill.service.compute.steady_on_demand_30d' }
    const databases = {
      ...services,
      id: 'RC-1504',
      usd: 300,
      cost: 900,
      base: '@bill.service.database.steady_on_demand_30d',
    }
    expect(nets([services, databases], 9000)).to.deep.equal([
      ['RC-1501', 500, 500, ''],
      ['RC-1504', 300, 300, ''],
    ])
  })

  it('that commit to the resource itself save of what is left of it: of what is stopped, nothing [REC-05]', () => {
    const stop = { id: 'RC-1001', type: 'stop', usd: 276.48, cost: 276.48 } as const
    const base = '@bill.on_demand_cost_30d'
    const reserve = { id: 'RC-1502', type: 'purchase', usd: 77.41, cost: 276.48, kind: 'commitment', base } as const
    expect(nets([reserve, stop], 276.48)).to.deep.equal([
      ['RC-1001', 276.48, 276.48, ''],
      ['RC-1502', 0, 77.41, 'RC-1001'],
    ])
    // 276.48 - 152.64 = 123.84 are left: 77.41 x 123.84 / 276.48.
    expect(nets([reserve, resize], 276.48)).to.deep.equal([
      ['RC-1101', 152.64, 152.64, ''],
      ['RC-1502', 34.67, 77.41, ''],
    ])
  })

  it('that a commitment of the whole account contains stand behind it where it saves more, and before it else', () => {
    const own = {
      id: 'RC-1502',
      type: 'purchase',
      usd: 30,
      cost: 100,
      kind: 'commitment',
      alternativeTo: 'RC-1501',
    } as const
    const by = (usd: number) => nets([own], 100, (id) => (id === 'RC-1501' ? usd : undefined))
    expect([by(31), by(29)]).to.deep.equal([[['RC-1502', 0, 30, 'RC-1501']], [['RC-1502', 30, 30, '']]])
    const wide = { id: 'RC-1501', type: 'purchase', usd: 20, cost: 100, kind: 'commitment' } as const
    expect(nets([own, wide], 100)).to.deep.equal([
      ['RC-1502', 30, 30, ''],
      ['RC-1501', 0, 20, 'RC-1502'],
    ])
  })

  it('never save more than it costs, in whatever order they come: 2,000 random sets [REC-05]', () => {
    const next = random(19)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!
    const types = ['delete', 'stop', 'resize', 'schedule', 'modify', 'configure', 'tag', 'upgrade'] as const
    for (let n = 0; n < 2000; n++) {
      const cost = Math.round(next() * 100_000) / 100
      const list = Array.from({ length: 1 + Math.floor(next() * 6) }, (_, i): Made => ({
        id: `RC-${1000 + i}`,
        type: pick(types),
        usd: next() * cost * 1.2,
        cost,
        dismissed: false,
        ...(next() < 0.5 && { group: [pick(['a', 'b']), pick([1, 2, 2])] as [string, number] }),
      }))
      const one = weigh(list.map(firing), cost)
      const sum = one.reduce((cents, { netUsd }) => cents + Math.round(netUsd * 100), 0)
      expect(sum, JSON.stringify(list)).to.be.at.most(Math.round(cost * 100))
      expect(one.every(({ netUsd }) => netUsd >= 0)).to.equal(true)
      const shape = (all: typeof one) => all.map(({ rule, netUsd, heldBackBy }) => [rule.id, netUsd, heldBackBy])
      expect(shape(weigh(list.toReversed().map(firing), cost))).to.deep.equal(shape(one))
    }
  })
})
