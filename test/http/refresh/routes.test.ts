import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { CloudAccount } from '#actors/account/entity.ts'
import { Refresh } from '#actors/refresh/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { accountsWanted, refreshes, shownById, shownRefresh } from '#http/refresh/routes.ts'
import type { Services } from '#http/edge/services.ts'
import { scopeOf, served } from '#test/http/serving.ts'

const began = new Date('2026-01-15T10:00:00Z')
const ended = new Date('2026-01-15T10:05:00Z')
const minutesLater = (minutes: number) => new Date(ended.getTime() + minutes * 60_000)
const idle = { id: null, status: 'idle', discovered: 0, startedAt: null, completedAt: null }

const refresh = (fields: Partial<Refresh>): Refresh =>
  Object.assign(Object.create(Refresh.prototype) as Refresh, {
    orgId: 'o1',
    key: 'current',
    refreshId: 'r1',
    status: 'completed',
    scans: [],
    discovered: 42,
    startedAt: began,
    completedAt: ended,
    skippedId: '',
    skippedAt: null,
    ...fields,
  })

const completed = {
  id: 'r1',
  status: 'completed',
  discovered: 42,
  startedAt: '2026-01-15T10:00:00.000Z',
  completedAt: '2026-01-15T10:05:00.000Z',
}

const account = (id: string, fields: Partial<CloudAccount> = {}): CloudAccount =>
  Object.assign(Object.create(CloudAccount.prototype) as CloudAccount, {
    orgId: 'o1',
    id,
    name: `name of ${id}`,
    provider: 'aws',
    status: 'connected',
    ...fields,
  })

describe('http refresh status', () => {
  it('is idle before the first refresh [DISC-11]', () => {
    expect(shownRefresh(null, ended)).to.deep.equal(idle)
    const never = { refreshId: '', status: 'idle', startedAt: null, completedAt: null } as const
    expect(shownRefresh(refresh(never), ended)).to.deep.equal(idle)
  })
  it('is kept for an hour after the end, then idle [DISC-12]', () => {
    expect(shownRefresh(refresh({}), minutesLater(59))).to.deep.equal(completed)
    expect(shownRefresh(refresh({}), minutesLater(60))).to.deep.equal(idle)
    expect(shownRefresh(refresh({}), minutesLater(61))).to.deep.equal(idle)
  })
  it('has no end while it runs, however long that is [DISC-03] [DISC-05]', () => {
    const running = refresh({ status: 'running', completedAt: null, discovered: 7 })
    expect(shownRefresh(running, minutesLater(600))).to.deep.equal({
      ...completed,
      status: 'running',
      discovered: 7,
      completedAt: null,
    })
  })
  it('stays that of the live one when a later request is skipped, which is seen by its own id [DISC-10] G-112', () => {
    const live = refresh({ status: 'running', completedAt: null, skippedId: 'r2', skippedAt: ended })
    const running = { ...completed, status: 'running', completedAt: null }
    expect(shownRefresh(live, ended)).to.deep.equal(running)
    expect(shownById(live, 'r1', ended)).to.deep.equal(running)
    expect(shownById(live, 'r2', minutesLater(59))).to.deep.equal({
      id: 'r2',
      status: 'skipped',
      discovered: 0,
      startedAt: '2026-01-15T10:05:00.000Z',
      completedAt: '2026-01-15T10:05:00.000Z',
    })
    const refused = (record: Refresh | null, id: string) =>
      expect(() => shownById(record, id, minutesLater(60)))
        .to.throw()
        .with.property('code', 'not_found')
    refused(live, 'r2')
    refused(live, 'r3')
    refused(live, '')
    refused(null, 'r1')
  })
})

describe('http refresh targets', () => {
  const a = account('a')
  const b = account('b', { provider: 'gcp' })
  const off = account('off', { status: 'disabled' })
  const ofA = { cloudAccountId: 'a', provider: 'aws' }
  const ofB = { cloudAccountId: 'b', provider: 'gcp' }

  const refusal = (wanted: object) => {
    try {
      accountsWanted([a, b, off], wanted)
    } catch (error) {
      return (error as Fault).code
    }
    return undefined
  }

  it('are all accounts that are not disabled when none is named', () => {
    expect(accountsWanted([a, b, off], {})).to.deep.equal([ofA, ofB])
    expect(accountsWanted([a, b, off], { cloudAccountID: '', cloudAccountName: '', provider: '' })).to.deep.equal([
      ofA,
      ofB,
    ])
    expect(accountsWanted([], {})).to.deep.equal([])
  })
  it('are those named by id, by name or by provider, under its stand-in too', () => {
    expect(accountsWanted([a, b], { cloudAccountID: 'a', provider: 'aws' })).to.deep.equal([ofA])
    expect(accountsWanted([a, b], { cloudAccountName: 'name of b' })).to.deep.equal([ofB])
    expect(accountsWanted([a, b], { provider: 'cloud-b' })).to.deep.equal([ofB])
  })
  it('must be known, of the provider that is named, and not disabled', () => {
    expect(refusal({ cloudAccountID: 'x' })).to.equal('not_found')
    expect(refusal({ cloudAccountName: 'x' })).to.equal('not_found')
    expect(refusal({ cloudAccountID: 'a', provider: 'gcp' })).to.equal('validation_failed')
    expect(refusal({ provider: 'azure' })).to.equal('validation_failed')
    expect(refusal({ cloudAccountID: 'off' })).to.equal('invalid_transition')
  })
})

/** Plays the refresh actor. */
function cancel(row: Refresh | null): void {
  if (row?.status !== 'running') throw Fault.conflict('invalid_transition', 'No discovery is queued or running.')
  row.status = 'canceling'
}

describe('http refresh', () => {
  let row: Refresh | null = null
  const asked: [string, any][] = []
  const services = {
    em: { find: async () => [account('a')], findOne: async () => row },
    now: () => ended,
    newId: randomUUID,
    ask: async ({ name }: { name: string }, data: any) => {
      asked.push([name, data])
      if (name === 'refresh.cancelled') cancel(row)
      return { refreshID: data.refreshId, status: 'queued' }
    },
  } as unknown as Services
  const site = served(refreshes, scopeOf(services))

  it('begins one, with or without a body, under an id of its own [DISC-01]', async () => {
    for (const body of [undefined, {}]) {
      asked.length = 0
      const r = await site.send('POST', '/resources/refresh', body)
      expect(r.status).to.equal(202)
      const { data } = (await r.json()) as any
      expect(data.refreshID).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
      expect(data).to.deep.equal({ refreshID: data.refreshID, status: 'queued' })
      const accounts = [{ cloudAccountId: 'a', provider: 'aws' }]
      expect(asked).to.deep.equal([['refresh.requested', { refreshId: data.refreshID, accounts }]])
    }
  })
  it('answers 404 for an account there is not, 400 for a field there is not', async () => {
    expect((await site.send('POST', '/resources/refresh', { cloudAccountID: 'x' })).status).to.equal(404)
    expect((await site.send('POST', '/resources/refresh', { account: 'a' })).status).to.equal(400)
    expect((await site.send('POST', '/resources/refresh', { provider: 'ibm' })).status).to.equal(400)
  })
  it('cancels what is queued or running, and nothing else', async () => {
    row = null
    expect((await site.send('POST', '/resources/refresh/cancel')).status).to.equal(409)
    row = refresh({})
    expect((await site.send('POST', '/resources/refresh/cancel')).status).to.equal(409)
    row = refresh({ status: 'running', completedAt: null })
    const r = await site.send('POST', '/resources/refresh/cancel')
    expect(r.status).to.equal(202)
    expect(await r.json()).to.deep.equal({ data: { ...completed, status: 'canceling', completedAt: null } })
    const status = await site.get('/resources/refresh/status')
    expect(await status.json()).to.deep.equal({ data: { ...completed, status: 'canceling', completedAt: null } })
  })
  it('cancels the live one, and answers with it, though a later request was skipped [DISC-10] G-112', async () => {
    row = refresh({ status: 'running', completedAt: null, skippedId: 'r2', skippedAt: new Date() })
    const r = await site.send('POST', '/resources/refresh/cancel')
    expect(await r.json()).to.deep.equal({ data: { ...completed, status: 'canceling', completedAt: null } })
    const skipped = await site.get('/resources/refresh/status?refreshID=r2')
    expect(((await skipped.json()) as any).data).to.include({ id: 'r2', status: 'skipped' })
    expect((await site.get('/resources/refresh/status?refreshID=r9')).status).to.equal(404)
  })
})
