import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { refreshProgress, type ScanCoverage } from '#streams/refresh.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const account = 'acct-1'
const base = { provider: 'aws', cloudAccountId: account } as const
const [east, west] = ['us-east-1', 'eu-west-1']

/** Uid, type, region and parent. */
const all: readonly (readonly [string, string, string, string?])[] = [
  ['vm-east', 'aws-ec2', east],
  ['vm-west', 'aws-ec2', west],
  ['disk-east', 'aws-ebs-volume', east],
  ['disk-west', 'aws-ebs-volume', west],
  ['bucket', 'aws-s3-bucket', ''],
  ['cluster-a', 'aws-eks', east],
  ['cluster-b', 'aws-eks', east],
  ['pod-a', 'aws-eks-pod', east, 'cluster-a'],
  ['pod-b', 'aws-eks-pod', east, 'cluster-b'],
]

describe('scans of an account that saw a part of it', () => {
  let org: Tenant
  let scans = 0
  beforeEach(async () => {
    org = await tenant()
    await scan(all.map(([uid]) => uid))
  })

  /** A scan that finds these, and says what it has seen; left out: everything. */
  async function scan(
    uids: readonly string[],
    end: { seen?: ScanCoverage[]; missingPermissions?: string[]; message?: string } = {},
  ) {
    const refreshId = `scan-${++scans}`
    const progress = { ...base, refreshId, discovered: uids.length }
    await org.publish(refreshProgress, [{ ...progress, status: 'running' }])
    const found = all.filter(([uid]) => uids.includes(uid))
    await org.publish(
      resourceDiscovered,
      found.map(([resourceUid, type, region, parentUID]) => ({
        ...base,
        resourceUid,
        name: resourceUid,
        type,
        region,
        refreshId,
        ...(parentUID && { parentUID }),
      })),
    )
    await org.publish(refreshProgress, [{ ...progress, status: 'completed', ...end }])
    await until('the end of the scan', async () => (await row()).ended === refreshId)
    // What the account tells its resources is on the stream before what is published once its outbox is empty.
    await until('an empty outbox', async () => !(await row()).busy)
    const sample = {
      resourceUid: 'none',
      samples: [{ metric: 'cpu_percent' as const, value: 1, ts: '2026-01-01T00:00:00Z' }],
    }
    await org.publish(metricSample, [sample], { place: account })
  }
  async function row() {
    const { rows } = await org.connections.store.pool.query(
      `select ended_refresh_id as ended, status, message, missing_permissions as missing,
         exists (select from outbox where subject like '%' || $1 || '%') as busy
       from cloud_account where org_id = $1 and id = $2`,
      [org.orgId, account],
    )
    return rows[0]
  }
  const left = async () => {
    const there = (await org.get('/resources?limit=100')).body.data.map(({ uid }: { uid: string }) => uid)
    return all.map(([uid]) => uid).filter((uid) => there.includes(uid))
  }

  it('delete only what lies in a type and a region that were seen and did not turn up', async () => {
    await scan(['vm-west'], { seen: [{ types: ['aws-ec2'], regions: [east, west] }] })
    expect(await left()).to.deep.equal(all.map(([uid]) => uid).filter((uid) => uid !== 'vm-east'))
    await scan([], { seen: [{ types: ['aws-ebs-volume'], regions: [west] }] })
    expect(await left()).to.deep.equal(['vm-west', 'disk-east', 'bucket', 'cluster-a', 'cluster-b', 'pod-a', 'pod-b'])
  })

  it('take an empty list of types, of regions and of parents for all of them', async () => {
    await scan(['pod-a'], { seen: [{ types: [], regions: [east], parents: [] }] })
    expect(await left()).to.deep.equal(['vm-west', 'disk-west', 'bucket', 'pod-a'])
    await scan([], { seen: [{ types: ['aws-s3-bucket', 'aws-ebs-volume'], regions: [] }] })
    expect(await left()).to.deep.equal(['vm-west', 'pod-a'])
  })

  it('delete what is outside of the regions that an account covers, but what has none', async () => {
    await scan([], { seen: [{ types: [], regions: [], outsideOf: [east, ''] }] })
    expect(await left()).to.deep.equal(['vm-east', 'disk-east', 'bucket', 'cluster-a', 'cluster-b', 'pod-a', 'pod-b'])
  })

  it('leave children alone whose parent could not be looked into', async () => {
    const kinds = { types: ['aws-eks-pod'], regions: [] }
    await scan(['cluster-a', 'cluster-b'], {
      seen: [
        { types: ['aws-eks'], regions: [] },
        { ...kinds, parents: ['cluster-a'] },
      ],
    })
    expect(await left()).to.deep.equal(all.map(([uid]) => uid).filter((uid) => uid !== 'pod-a'))
  })

  it('leave nothing of an account that was removed while they went on', async () => {
    expect((await org.send('DELETE', `/cloud-accounts/${account}`)).status).to.equal(204)
    await scan(['vm-east', 'bucket'])
    expect(await left()).to.deep.equal([])
  })

  it('tell what they were not allowed to look at until the account is verified anew, and what they could not see', async () => {
    const message = 'us-east-1 could not be discovered: the cloud did not respond.'
    const seen = [{ types: ['aws-ec2'], regions: [west] }]
    await scan(['vm-west'], { seen, missingPermissions: ['rds:DescribeDBInstances'], message })
    expect(await row())
      .to.include({ status: 'degraded', message })
      .and.deep.include({ missing: ['rds:DescribeDBInstances'] })
    await scan(all.map(([uid]) => uid))
    expect(await row()).to.include({ message: null })
  })
})
