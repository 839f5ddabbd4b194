/** Which deliveries the health of a channel reads, of several channels and organizations. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Hold } from '#actors/notification/delivery/entity.ts'
import { healthNeeds, oldestOf, pageOf } from '#actors/notification/channel/health-needs.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { channelProbeDue, channelSwept } from '#streams/notification/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const other = `org-${randomUUID()}`

describe('deliveries that wait for a broken channel', () => {
  let org: Tenant
  /** The minute it was created in; the greater, the younger. */
  const delivery = (id: string, minute: number, hold: Hold = 'circuit', channelId = 'c-1', orgId = org.orgId) =>
    org.connections.store.pool.query(
      `insert into delivery (org_id, channel_id, id, event, kind, hold, tries, response_status, message, created_at)
       values ($1, $2, $3, '{}', 'event', $4, 0, 0, '', timestamptz '2026-01-15 10:00Z' + $5 * interval '1 min')`,
      [orgId, channelId, id, hold, minute],
    )

  before(async () => {
    org = await tenant()
    await delivery('d-5', 20)
    await delivery('d-4', 30)
    await delivery('d-6', 20)
    for (const [n, hold] of (['', 'quiet', 'digest', 'probe'] as const).entries()) await delivery(`d-${n}`, n, hold)
    await delivery('d-another', 1, 'circuit', 'c-2')
    await delivery('d-foreign', 1, 'circuit', 'c-1', other)
  })

  async function read(subject: unknown, data: object): Promise<Turn> {
    const address = { orgId: org.orgId, place: 'c-1', key: 'c-1' }
    const waiting: Waiting = { subject: subject as Subject, address, data }
    const rows = (text: string, params: readonly unknown[]) => org.connections.store.rows<object>(text, params)
    return { needs: await healthNeeds([waiting], { rows } as unknown as TurnReads), address } as unknown as Turn
  }
  const page = async (what: 'release' | 'drop', after = '') => {
    const swept = { channelId: 'c-1', what, after }
    return pageOf(await read(channelSwept, swept), swept)
  }

  it('are probed by the oldest of them, and by none that waits for something else', async () => {
    expect(oldestOf(await read(channelProbeDue, { channelId: 'c-1' }))).to.equal('d-5')
  })

  it('all continue once it works again, and none that waits for something else does', async () => {
    expect([await page('release'), await page('release', 'd-4')]).to.deep.equal([
      ['d-4', 'd-5', 'd-6'],
      ['d-5', 'd-6'],
    ])
  })

  it('are dropped with all others of the channel when it is deleted', async () => {
    expect(await page('drop')).to.deep.equal(['d-0', 'd-1', 'd-2', 'd-3', 'd-4', 'd-5', 'd-6'])
    expect(await page('drop', 'd-5')).to.deep.equal(['d-6'])
  })
})
