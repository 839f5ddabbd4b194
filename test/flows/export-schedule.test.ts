import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { cloudFault, type Connector } from '#streams/cloud/connector.ts'
import type { ObjectStore } from '#streams/delivery/object-store.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { advance, ask, colleague, founder, resetClock } from '#test/harness/people.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const line = (lineId: string, day: string, cost: string): BillingLine => ({
  lineId,
  cloudAccountId: 'acct-1',
  provider: 'aws',
  BilledCost: cost,
  EffectiveCost: cost,
  ListCost: '2',
  ContractedCost: '1.5',
  ServiceName: 'EC2',
  ResourceId: 'i-1',
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${day}T01:00:00Z`,
})

const body = {
  name: 'Warehouse',
  destination: { kind: 's3', bucket: 'shop-finops', region: 'eu-central-1', prefix: 'focus' },
  credentials: { accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' },
  every: 'day',
  hour: 6,
  timezone: 'Europe/Berlin',
}
const folder = 'focus/billing_period=2026-01/'

/** A bucket in memory: its objects, and what was done, in order. */
function bucket() {
  const objects = new Map<string, Buffer>()
  const done: string[] = []
  const seen: unknown[] = []
  let refusal: Error | undefined
  let refused = 0
  const store: ObjectStore = {
    async put(key, object) {
      if (refusal) {
        refused++
        throw refusal
      }
      done.push(`put ${key}`)
      objects.set(key, object.body)
    },
    keys: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)),
    async remove(key) {
      done.push(`remove ${key}`)
      objects.delete(key)
    },
    close: () => {},
  }
  const cloud = { objects: (account: { credentials: unknown }) => (seen.push(account.credentials), store) }
  return {
    objects,
    done,
    seen,
    cloud: cloud as unknown as Connector,
    refuse: (error?: Error) => void (refusal = error),
    refused: () => refused,
  }
}

describe('scheduled exports', () => {
  let org: Tenant
  let far: ReturnType<typeof bucket>
  beforeEach(async () => {
    org = await tenant()
    far = bucket()
    ownClouds.set('export-destination', far.cloud)
  })
  afterEach(async () => {
    const { items } = (await org.get('/export-schedules')).body.data
    for (const { id } of items) await org.send('DELETE', `/export-schedules/${id}`)
    ownClouds.delete('export-destination')
  })
  const make = async (more: object = {}): Promise<string> => {
    const made = await org.send('POST', '/export-schedules', { ...body, ...more })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return made.body.data.id as string
  }
  const run = async (id: string, months = ['2026-01']) => {
    const asked = await org.send('POST', `/export-schedules/${id}/run`, { months })
    expect(asked.status, JSON.stringify(asked.body)).to.equal(202)
    const read = async () => (await org.get(`/export-schedules/${id}/runs`)).body.data.items[0]
    await until('the end of the run', async () => (await read()).endedAt !== null)
    return read()
  }
  const manifest = () => JSON.parse(far.objects.get(`${folder}_manifest.json`)!.toString())

  it('writes a month as Parquet and, last, a manifest with its rows, exact sums and checksums', async () => {
    await org.publish(billingLine, [
      line('a', '2026-01-01', '0.10000000000001'),
      line('b', '2026-01-31', '12.34567890123456'),
      line('other', '2026-02-01', '7'),
    ])
    const ended = await run(await make())
    expect(ended).to.include({ status: 'succeeded', reason: '', isRequested: true })
    const { name: file } = manifest().files[0]
    expect(file).to.match(new RegExp(`^${ended.runID}-[0-9a-f]{8}-00000.parquet$`))
    expect(far.done).to.deep.equal([`put ${folder}${file}`, `put ${folder}_manifest.json`])
    const bytes = far.objects.get(folder + file)!
    expect(ended.months).to.deep.equal([
      {
        month: '2026-01',
        outcome: 'written',
        rows: 2,
        files: 1,
        bytes: bytes.length,
        billedCostUSD: '12.44567890123457',
      },
    ])
    expect(manifest()).to.deep.include({
      organizationID: org.orgId,
      billingPeriod: '2026-01',
      format: 'parquet',
      focusVersion: '1.4',
      rows: 2,
      sums: {
        BilledCost: '12.44567890123457',
        EffectiveCost: '12.44567890123457',
        ListCost: '4',
        ContractedCost: '3',
      },
      files: [{ name: file, rows: 2, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }],
    })
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
    expect(rows.map((row) => row['x_LineId'])).to.deep.equal(['a', 'b'])
    expect(far.seen).to.deep.equal([body.credentials])
  })

  it('has the figures of the export of the same month, and replaces the files of earlier runs, and no others', async () => {
    await org.publish(billingLine, [line('a', '2026-01-01', '1.25')])
    const id = await make({ format: 'csv', version: '1.2' })
    await run(id)
    const first = `${folder}${manifest().files[0].name}`
    const asked = { report: 'focus', version: '1.2', format: 'csv', from: '2026-01-01', to: '2026-01-31' }
    const { downloadURL } = (await org.send('POST', '/reports/export', asked)).body.data
    expect(far.objects.get(first)!.toString()).to.equal(await (await fetch(downloadURL)).text())

    // What a run left that was killed before its manifest, and what somebody else put there.
    const killed = `${folder}00000000-0000-4000-8000-000000000000-00000000-00000.csv`
    far.objects.set(killed, Buffer.from('half')).set(`${folder}README.md`, Buffer.from('ours'))
    await org.publish(billingLine, [line('b', '2026-01-02', '2')])
    far.done.length = 0
    await run(id)
    const second = `${folder}${manifest().files[0].name}`
    expect(far.done).to.deep.equal([
      `put ${second}`,
      `put ${folder}_manifest.json`,
      `remove ${first}`,
      `remove ${killed}`,
    ])
    expect([...far.objects.keys()]).to.have.members([second, `${folder}_manifest.json`, `${folder}README.md`])
    expect(manifest()).to.deep.include({ rows: 2, billingPeriod: '2026-01' })
  })

  it('writes by the credentials of a connected account, and not once it is disabled', async () => {
    const { simulated } = org.product.get(tokens.clouds)
    ownClouds.set('222222222222', { ...simulated, objects: far.cloud.objects! })
    try {
      const { externalID } = (await org.get('/cloud-accounts/external-id')).body.data
      const credentials = { roleARN: 'arn:aws:iam::222222222222:role/tidemark', externalID }
      const account = { name: 'Production', provider: 'aws', externalID: '222222222222', credentials }
      const { id: cloudAccountID } = (await org.send('POST', '/cloud-accounts', account)).body.data
      const id = await make({ credentials: undefined, cloudAccountID })
      expect(await run(id)).to.include({ status: 'succeeded' })
      expect(far.seen).to.deep.equal([credentials])
      const moved = { destination: { ...body.destination, prefix: 'other' } }
      const edited = await org.send('PATCH', `/export-schedules/${id}`, moved)
      expect(edited.body.data).to.include({ cloudAccountID, location: 's3://shop-finops/other' })
      await org.send('DELETE', `/cloud-accounts/${cloudAccountID}`)
      expect(await run(id)).to.include({
        status: 'failed',
        reason: 'The cloud account of the export is disabled or removed.',
      })
    } finally {
      ownClouds.delete('222222222222')
    }
  })

  it('runs when it is due, and leaves months alone whose lines are those of the last run', async () => {
    const id = await make({ timezone: 'UTC' })
    const runs = async () => (await org.get(`/export-schedules/${id}/runs`)).body.data.items
    const due = async (count: number) => {
      await advance(86_400)
      await until('the run', async () => (await runs()).length === count && (await runs())[0].endedAt !== null)
      return (await runs())[0].months.map(({ outcome }: any) => outcome)
    }
    try {
      expect(await due(1)).to.deep.equal(['written', 'written'])
      const { length } = far.done
      // One day may be that of another month, which was not written yet.
      const second = await due(2)
      expect(second[0]).to.equal('unchanged')
      expect(far.done.length - length).to.equal(second[1] === 'written' ? 1 : 0)
      expect((await runs()).map(({ isRequested }: any) => isRequested)).to.deep.equal([false, false])
    } finally {
      await resetClock()
    }
  })

  it('says that a month without lines has none', async () => {
    const ended = await run(await make())
    expect(ended.months[0]).to.deep.include({ outcome: 'written', rows: 0, files: 0, billedCostUSD: '0' })
    expect(manifest()).to.deep.include({ rows: 0, files: [] })
  })

  it('shows why a run failed and what to do, and tells of it', async () => {
    far.refuse(cloudFault('user_action', 'permission_missing', 'Access denied.', { fixHint: 'Verify the account.' }))
    const id = await make()
    expect(await run(id)).to.deep.include({
      status: 'failed',
      reason: 'Access denied.',
      fixHint:
        'Check the name and the region of the bucket, and that the credentials of the export are valid and permit s3:PutObject and s3:DeleteObject on its objects and s3:ListBucket on it.',
      months: [],
    })
    far.refuse()
    expect(await run(id)).to.include({ status: 'succeeded' })
  })

  // The first pause is half a minute.
  deepIt('tries a run again that failed for now', async () => {
    await org.publish(billingLine, [line('a', '2026-01-01', '1.25')])
    const id = await make()
    far.refuse(cloudFault('transient', 'cloud_unavailable', 'The bucket does not answer.'))
    const { runID } = (await org.send('POST', `/export-schedules/${id}/run`, { months: ['2026-01'] })).body.data
    await until('the first try', async () => far.refused() > 0)
    // Meanwhile it is running, and asked for again it is the same run.
    expect((await org.send('POST', `/export-schedules/${id}/run`, {})).body.data.runID).to.equal(runID)
    far.refuse()
    const runs = async () => (await org.get(`/export-schedules/${id}/runs`)).body.data.items
    await until('the second try', async () => (await runs())[0].endedAt !== null, 90)
    expect([...far.objects.keys()]).to.deep.equal([`${folder}${manifest().files[0].name}`, `${folder}_manifest.json`])
  })

  it('keeps credentials to itself, and only while the bucket stays the same', async () => {
    const id = await make()
    const shown = (await org.get(`/export-schedules/${id}`)).body.data
    expect(JSON.stringify(shown)).not.to.include('AKIA')
    expect(shown).to.include({ location: 's3://shop-finops/focus', cloudAccountID: null, format: 'parquet' })
    const edit = (change: object) => org.send('PATCH', `/export-schedules/${id}`, change)
    const moved = (bucketName: string) => ({ destination: { ...body.destination, bucket: bucketName, prefix: 'new' } })
    expect((await edit(moved('shop-finops'))).status).to.equal(200)
    const refused = await edit(moved('somebody-else'))
    expect([refused.status, refused.body.errors[0].name]).to.deep.equal([400, '/credentials'])
    expect((await edit({ hour: 7, every: 'month', day: 3 })).body.data).to.include({ hour: 7, every: 'month', day: 3 })
    expect((await edit({ isOn: false })).body.data.nextDueAt).to.equal(null)
  })

  it('refuses what is no name of a bucket, other credentials than of an account, and a second one at a place', async () => {
    const refused = async (change: object) => {
      const { status, body: answer } = await org.send('POST', '/export-schedules', { ...body, ...change })
      return [status, answer.errors?.[0]?.name ?? answer.code]
    }
    const at = (change: object) => ({ destination: { ...body.destination, ...change } })
    expect(await refused(at({ bucket: 'a..b' }))).to.deep.equal([400, '/destination/bucket'])
    expect(await refused(at({ bucket: 'evil.example.com/x' }))).to.deep.equal([400, '/destination/bucket'])
    expect(await refused(at({ region: 'x.example.com' }))).to.deep.equal([400, '/destination/region'])
    expect(await refused(at({ storageAccount: 'bills' }))).to.deep.equal([400, '/destination/storageAccount'])
    expect(await refused(at({ prefix: '../other' }))).to.deep.equal([400, '/destination/prefix'])
    expect(await refused({ timezone: 'Mars/Olympus' })).to.deep.equal([400, '/timezone'])
    expect(await refused({ every: 'month' })).to.deep.equal([400, '/day'])
    expect(await refused({ credentials: undefined })).to.deep.equal([400, '/credentials'])
    expect(await refused({ credentials: undefined, cloudAccountID: 'acct-9' })).to.deep.equal([400, '/cloudAccountID'])
    expect(await refused({ cloudAccountID: 'acct-9' })).to.deep.equal([400, '/credentials'])
    const azure = { kind: 'azure_blob', bucket: 'focus', storageAccount: 'bills' }
    expect(await refused({ destination: azure, credentials: { tenantID: 'x' } })).to.deep.equal([
      400,
      '/credentials/clientID',
    ])
    expect(await refused(at({ prefix: 'focus/billing_period=2026-01' }))).to.deep.equal([400, '/destination/prefix'])
    const id = await make()
    expect(await refused({ name: 'Second' })).to.deep.equal([409, 'already_exists'])
    expect(await refused(at({ region: 'us-east-1' })), 'a bucket is in one region').to.deep.equal([
      409,
      'already_exists',
    ])
    const { status, body: future } = await org.send('POST', `/export-schedules/${id}/run`, { months: ['2999-01'] })
    expect([status, future.errors[0].name]).to.deep.equal([400, '/months/0'])
  })

  it('is changed by owners and admins only, and is of one organization', async () => {
    const owner = await founder()
    const editor = await colleague(owner, 'editor')
    const send = (who: { accessToken: string }, method: string, path: string, sent?: unknown) =>
      ask(method, path, { token: who.accessToken, ...(sent !== undefined && { body: sent }) })
    expect((await send(editor, 'POST', '/export-schedules', body)).status).to.equal(403)
    const id = await make()
    expect((await send(owner, 'GET', `/export-schedules/${id}`)).status).to.equal(404)
    expect((await send(owner, 'POST', `/export-schedules/${id}/run`, {})).status).to.equal(404)
    expect((await send(owner, 'GET', '/export-schedules')).body.data.items).to.deep.equal([])
    // Another organization may write to a place of the same name.
    const made = await send(owner, 'POST', '/export-schedules', body)
    expect(made.status).to.equal(201)
    expect((await send(editor, 'DELETE', `/export-schedules/${made.body.data.id}`)).status).to.equal(403)
    expect((await send(owner, 'DELETE', `/export-schedules/${made.body.data.id}`)).status).to.equal(204)
  })
})
