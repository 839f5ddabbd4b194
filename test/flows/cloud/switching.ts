/** Starts and stops of many resources at once, by hand and by a schedule. */
import { expect } from 'chai'
import type { Connected } from '#test/harness/connected.ts'
import { setClock } from '#test/harness/people.ts'
import type { Asked, Fate } from './weather.ts'

const shown = async (org: Connected, uid: string): Promise<any> =>
  (await org.data(`/resources/by-uids?uids=${encodeURIComponent(uid)}`))[0]

/** Asks for an action of each, and sees all through to what the inventory shows. `whenPaused`: once each waits for its second try. */
export async function acted(
  org: Connected,
  uids: readonly string[],
  type: 'start' | 'stop',
  { whenPaused }: { whenPaused?: () => void } = {},
): Promise<string[]> {
  const ids = await Promise.all(
    uids.map(async (resourceUID) => {
      const { type: resourceType, region, provider } = await shown(org, resourceUID)
      const body = { type, resourceUID, provider, resourceType, cloudAccountID: org.accountId, region }
      // What a schedule began shows before it is over.
      let answer = await org.send('POST', '/actions', body)
      await org.reached(`the end of what is done to ${resourceUID}`, async () => {
        if (answer.status === 409) answer = await org.send('POST', '/actions', body)
        return answer.status !== 409
      })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
      return answer.body.data.actionID as string
    }),
  )
  const last: any[] = []
  const isOver = (one: any) => one?.status === 'succeeded' || one?.status === 'failed'
  const look = async () => {
    for (const [at, id] of ids.entries()) if (!isOver(last[at])) last[at] = await org.data(`/actions/${id}`)
  }
  if (whenPaused) {
    await org.reached(`the first try of ${type}`, async () => {
      await look()
      return last.every(({ status, startedAt }) => status === 'pending' && startedAt !== null)
    })
    whenPaused()
  }
  await org.reached(`the end of ${type} of ${uids.length}`, async () => {
    await look()
    return last.every(isOver)
  })
  expect(last.flatMap(({ errorMessage }) => errorMessage ?? [])).to.deep.equal([])
  await become(org, uids, type === 'start' ? 'running' : 'stopped')
  return last.map(({ status }) => status as string)
}

/** Until the inventory shows all of them so. */
const become = (org: Connected, uids: readonly string[], status: string): Promise<void> =>
  org.reached(`all ${status}`, async () => {
    const found = new Map((await org.resources()).map((one) => [one.uid as string, one.status as string]))
    return uids.every((uid) => found.get(uid) === status)
  })

/** How many actions have come to an end: each is one row. */
async function overIn(org: Connected): Promise<number> {
  const [{ n }] = (await org.facts('SELECT count() AS n FROM state_history FINAL WHERE org_id = {org:String}')) as any
  return Number(n)
}

let nights = 0

/** Has a schedule of its own stop all of them in one evening, and start them two hours later. */
export async function scheduled(org: Connected, uids: readonly string[]): Promise<void> {
  const day = new Date(Date.UTC(2030, 0, 7 + nights++)).toISOString().slice(0, 10)
  const at = (time: string) => setClock(new Date(`${day}T${time}Z`), org.orgId)
  await at('18:00:00')
  const { id } = await org.done('POST', '/schedules', {
    name: `Night ${nights}`,
    timezone: 'UTC',
    rules: [
      { action: 'stop', cron: '0 20 * * *' },
      { action: 'start', cron: '0 22 * * *' },
    ],
    resourceUIDs: uids,
  })
  // A scan that was under way may show for a moment what was before: an action is over once it stands in the history.
  const over = await overIn(org)
  await at('20:00:00')
  await org.reached('the end of all stops', async () => (await overIn(org)) >= over + uids.length)
  await become(org, uids, 'stopped')
  await at('22:00:00')
  await org.reached('the end of all starts', async () => (await overIn(org)) >= over + 2 * uids.length)
  await become(org, uids, 'running')
  await org.done('DELETE', `/schedules/${id}`)
}

/** What befell questions that change something, from the first of these on. */
export const unanswered = (weather: { changes: (from: number) => readonly Asked[] }, from: number): Fate[] =>
  weather.changes(from).flatMap(({ fate }) => (fate === 'answered' ? [] : [fate]))
