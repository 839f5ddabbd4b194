/** A line that moves, when a batch runs again: what the first attempt left in the facts must lead to the same days. */
import { expect } from 'chai'
import { accountActor } from '#actors/account/actor.ts'
import { accountNeeds, type AccountNeeds } from '#actors/account/needs.ts'
import type { Actor } from '#engine/actor/actor.ts'
import { runMailbox, type TurnOutcome } from '#engine/lane/message/mailbox.ts'
import type { Message } from '#engine/lane/message/message.ts'
import type { Reads } from '#engine/actor/ports.ts'
import { accountState } from '#analytics/cost/account-table.ts'
import { costDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { billingLine } from '#streams/billing/messages.ts'

const address = { orgId: 'o1', place: 'acct-1', key: 'acct-1' }
/** The line on day n of January, exported on day n of April; its message stands n-th in the lane. */
const moved = (n: number, exportedOn = n): Message => ({
  log: { seq: n, subject: 'billing.o1.acct-1', headers: {}, body: new Uint8Array(), at: 0 },
  index: 0,
  envelope: {
    id: `m${n}`,
    type: billingLine.name,
    schemaVersion: 1,
    orgId: 'o1',
    time: '2026-05-01T00:00:00Z',
    data: {
      lineId: 'w',
      cloudAccountId: 'acct-1',
      provider: 'aws',
      usageDate: `2026-01-0${n}`,
      costUSD: n,
      exportedAt: `2026-04-0${exportedOn}T00:00:00Z`,
    },
  },
  time: Date.parse('2026-05-01T00:00:00Z'),
  subject: billingLine as never,
  receivers: [],
  orgId: 'o1',
  place: 'acct-1',
})

/** What cost_line_day holds of the line: the row of the highest version. */
class Known {
  private row: { day: string; from_day: string | null; from_days: string; version: bigint } | undefined

  keep({ facts }: TurnOutcome): void {
    for (const { table, row } of facts) {
      const version = row['x_Version'] as bigint
      if (table.name !== 'cost_line_day' || version < (this.row?.version ?? 0n)) continue
      this.row = {
        day: String(row['day']),
        from_day: row['from_day'] as string | null,
        from_days: String(row['from_days']),
        version,
      }
    }
  }

  async needs(messages: readonly Message[]): Promise<AccountNeeds> {
    const { row } = this
    const facts = async <T>() => (row ? [{ line_id: 'w', ...row, version: String(row.version) }] : []) as T[]
    const waiting = messages.map(({ subject, envelope }) => ({ subject, address, data: envelope.data }))
    return (await accountNeeds(waiting, { facts, rows: async () => [] } as Reads)) as AccountNeeds
  }
}

describe('a line that moves', () => {
  const attempt = (known: Known, epoch: number, ...numbers: number[]): Promise<string[]> =>
    attemptOf(
      known,
      epoch,
      numbers.map((n) => moved(n)),
    )
  const attemptOf = async (known: Known, epoch: number, messages: readonly Message[]): Promise<string[]> =>
    daysOf(await outcomeOf(known, epoch, messages))
  const outcomeOf = async (known: Known, epoch: number, messages: readonly Message[]): Promise<TurnOutcome> => {
    const reaction = accountActor.reactions.get(billingLine.name)!
    const outcome = runMailbox(
      accountActor as unknown as Actor,
      address,
      { ...accountActor.initial(address), orgId: 'o1', id: 'acct-1' },
      messages.map((message) => ({ message, reaction: reaction as never })),
      { epoch, now: () => Date.parse('2026-05-01T00:00:00Z'), needs: await known.needs(messages) },
    )
    known.keep(outcome)
    return outcome
  }
  /** What is written of lines: an account that is new is told of beside them. */
  const linesOf = ({ facts }: TurnOutcome) => facts.filter(({ table }) => table !== accountState)
  const daysOf = ({ marks }: TurnOutcome): string[] =>
    [
      ...new Set(marks.filter(({ projection }) => projection === costDays.name).map(({ key }) => key.slice(-2))),
    ].toSorted()

  it('marks the day it came from at first, also when its batch dies before its commit and runs again', async () => {
    const known = new Known()
    await attempt(known, 1, 1)
    expect(await attempt(known, 1, 2, 3)).to.deep.equal(['01', '02', '03'])
    expect(await attempt(known, 2, 2, 3)).to.deep.equal(['01', '02', '03'])
  })

  it('marks it also when the batch is cut differently then', async () => {
    const known = new Known()
    await attempt(known, 1, 1)
    await attempt(known, 1, 2, 3, 4)
    expect(await attempt(known, 2, 2)).to.include.members(['01', '02'])
    expect(await attempt(known, 2, 3, 4)).to.include.members(['03', '04'])
  })

  it('marks it also when a deposed owner goes on from what the new one left', async () => {
    const known = new Known()
    await attempt(known, 3, 1)
    await attempt(known, 4, 2, 3, 4)
    await attempt(known, 3, 2, 3, 4, 5)
    expect(await attempt(known, 5, 2, 3, 4, 5)).to.deep.equal(['01', '02', '03', '04', '05'])
  })

  it('marks every day it left, also when a deposed owner took committed messages and others together', async () => {
    const known = new Known()
    await attempt(known, 1, 1)
    expect(await attempt(known, 2, 2)).to.deep.equal(['01', '02'])
    await attempt(known, 1, 2, 3)
    expect(await attempt(known, 2, 3)).to.include.members(['02', '03'])
  })

  it('marks it also when the exports that move it are of the same time', async () => {
    const known = new Known()
    const batch = [moved(2, 5), moved(3, 5)]
    await attempt(known, 1, 1)
    await attemptOf(known, 1, batch)
    expect(await attemptOf(known, 2, batch)).to.deep.equal(['01', '02', '03'])
  })

  it('gets no row on the day that an older export says, and only that day is looked at again', async () => {
    const known = new Known()
    await attempt(known, 1, 9)
    const older = await outcomeOf(known, 1, [moved(3)])
    expect(linesOf(older)).to.deep.equal([])
    expect(daysOf(older)).to.deep.equal(['03'])
    expect(linesOf(await outcomeOf(known, 1, [moved(4), moved(8)]))).to.deep.equal([])
  })

  it('is left where it is by an older export, whatever other older ones come with it', async () => {
    const known = new Known()
    await attempt(known, 1, 9)
    const messages = [3, 2]
    await attempt(known, 1, ...messages)
    expect((await known.needs([moved(1)])).lines.values().next().value).to.deep.include({ day: '2026-01-09' })
  })

  it('marks the days that come to lie within the export that has begun, so that each is named by it [BILL-04]', async () => {
    const known = new Known()
    const lineOf = (n: number): Message => {
      const message = moved(n, 1)
      const data = { ...(message.envelope.data as object), lineId: `w${n}`, exportId: 'e1' }
      return { ...message, envelope: { ...message.envelope, data } }
    }
    expect(await attemptOf(known, 1, [lineOf(4), lineOf(7), lineOf(5)])).to.deep.equal(['04', '05', '06', '07'])
    expect(await attemptOf(known, 1, [lineOf(4), lineOf(2)])).to.deep.equal(['02', '03', '04'])
  })
})
