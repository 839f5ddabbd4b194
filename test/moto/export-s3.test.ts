// tier: deep
/** Objects in S3 by the role of an account, and a scheduled export by an access key. */
import { expect } from 'chai'
import { s3Store } from '#streams/cloud/aws/object-store.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { systemClock } from '#engine/clock.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { ownClouds, tenant, until } from '#test/harness/product.ts'
import { account, owning, region } from './account.ts'

const Bucket = 'finops'

describeMoto('the object store of AWS', (moto) => {
  beforeEach(async () => {
    await moto().reset()
    await owning(moto(), (s) => s.ask('s3', region, (m) => new m.CreateBucketCommand({ Bucket })))
  })
  afterEach(() => void ownClouds.delete('export-destination'))
  const read = (Key: string) =>
    owning(moto(), async (s) => {
      const { Body } = await s.ask('s3', region, (m) => new m.GetObjectCommand({ Bucket, Key }))
      return Buffer.from(await Body!.transformToByteArray())
    })

  it('writes objects byte for byte in place of former ones, lists them, and removes them', async () => {
    const store = s3Store(moto().options, account, { bucket: Bucket, region })
    try {
      const body = Buffer.from([0, 255, 13, 10, 128])
      const names = ['a/1', 'a/2']
      for (const name of [...names, 'b/1']) await store.put(name, { body: Buffer.from('former'), media: 'text/csv' })
      for (const name of names) await store.put(name, { body, media: 'text/csv' })
      expect((await read('a/1')).equals(body)).to.equal(true)
      expect(await store.keys('a/')).to.deep.equal(names)
      await store.remove('a/1')
      await store.remove('a/1')
      expect(await store.keys('a/')).to.deep.equal(['a/2'])
      const missing = s3Store(moto().options, account, { bucket: 'not-there', region })
      const error = await missing.put('a', { body, media: 'text/csv' }).catch((caught: unknown) => caught)
      expect(error).to.include({ code: 'not_found' })
      missing.close()
    } finally {
      store.close()
    }
  })

  it('gets the files and the manifest of a schedule that writes by an access key', async () => {
    const of = await tenant()
    const cloud = awsCloud({ ...moto().options, clock: systemClock, allowPrivate: true })
    ownClouds.set('export-destination', cloud)
    const day = { ChargePeriodStart: '2026-01-05T00:00:00Z', ChargePeriodEnd: '2026-01-05T01:00:00Z' }
    await of.publish(billingLine, [
      { ...day, lineId: 'a', cloudAccountId: 'acct-1', provider: 'aws', BilledCost: '1.25', ServiceName: 'EC2' },
    ])
    const key = { accessKeyID: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' }
    const made = await of.send('POST', '/export-schedules', {
      name: 'Warehouse',
      destination: { kind: 's3', bucket: Bucket, region, prefix: 'focus' },
      credentials: key,
      every: 'day',
      hour: 6,
      timezone: 'UTC',
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const path = `/export-schedules/${made.body.data.id}`
    await of.send('POST', `${path}/run`, { months: ['2026-01'] })
    const runs = async () => (await of.get(`${path}/runs`)).body.data.items
    await until('the end of the run', async () => (await runs())[0].endedAt !== null)
    const [run] = await runs()
    expect(run).to.include({ status: 'succeeded', reason: '' })
    const folder = 'focus/billing_period=2026-01/'
    const manifest = JSON.parse((await read(`${folder}_manifest.json`)).toString())
    expect([manifest.rows, manifest.sums.BilledCost]).to.deep.equal([1, '1.25'])
    const bytes = await read(`${folder}${manifest.files[0].name}`)
    expect([bytes.subarray(0, 4).toString(), bytes.length]).to.deep.equal(['PAR1', manifest.files[0].bytes])
    await of.send('DELETE', path)
  })
})
