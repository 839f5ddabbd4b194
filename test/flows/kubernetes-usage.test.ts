import { expect } from 'chai'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { describePrometheus, doorTo, realPrometheus, type Door, type RealPrometheus } from '#test/harness/prometheus.ts'
import { openMetrics } from '#test/harness/prometheus-samples.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepDescribe } from '#test/harness/tier.ts'

const run = async (org: Tenant, job: string): Promise<void> => {
  const { status, body } = await org.send('POST', `/internal/jobs/${job}/run`, { orgId: org.orgId })
  expect(status, JSON.stringify(body)).to.equal(202)
}
const podsSql = `
  SELECT cluster_uid, namespace, pod, node, controller_kind, controller, toString(\`from\`) AS begin, seconds, cpu_used
  FROM kubernetes_pod FINAL WHERE org_id = {org:String} ORDER BY begin, namespace, pod, node`

describe('who uses the clusters of an account', () => {
  it('is asked by the job of every organization with an account, and stands under it', async () => {
    const org = await tenant()
    const connected = await org.send('POST', '/cloud-accounts', {
      name: 'production',
      provider: 'aws',
      externalID: 'sim-aws-production',
    })
    expect(connected.status, JSON.stringify(connected.body)).to.equal(201)
    const { id } = connected.body.data
    await until('the account to be connected', async () => {
      const { status } = (await org.get(`/cloud-accounts/${id}`)).body.data
      return status === 'connected'
    })
    await run(org, 'kubernetes-usage')
    const nodes = `
      SELECT cloud_account_id, node, seconds, minute(\`from\`) % 5 AS late FROM kubernetes_node FINAL
      WHERE org_id = {org:String} ORDER BY node`
    await until('its nodes', async () => (await org.facts(nodes)).length > 0)
    expect(await org.facts(nodes)).to.deep.equal(
      ['shop-general', 'shop-spot'].map((node) => ({ cloud_account_id: id, node, seconds: 300, late: 0 })),
    )
  })
})

// In `npm test` test/actors/kubernetes/pull.test.ts reads the same Prometheus, without the facts.
deepDescribe('beside a real Prometheus', () =>
  describePrometheus('who used a cluster, from Prometheus to the facts', () => {
    let server: RealPrometheus
    let door: Door
    before(async () => {
      server = await realPrometheus(openMetrics())
      door = await doorTo(server, '2026-01-16T12:30:00Z')
    })
    after(async () => {
      door.close()
      await server.close()
    })

    it('is read by the job from a source, hour by hour, with what was missing; and again of another cluster', async () => {
      const org = await tenant()
      const at = { cloudAccountId: 'acct-1', provider: 'aws', region: 'eu-west-1' } as const
      await org.publish(resourceDiscovered, [{ ...at, resourceUid: 'i-0abc', name: 'n1', type: 'aws-ec2' }])
      const given = { cloudAccountID: 'acct-1', clusterUID: 'c-1', url: door.url, matchers: ['cluster="prod"'] }
      const { id } = (await org.send('POST', '/kubernetes/sources', given)).body.data
      const state = async () => (await org.get(`/kubernetes/sources/${id}`)).body.data.state
      await run(org, 'kubernetes-pull')
      await until('the source to be read', async () => (await state()).through === '2026-01-16T12:00:00.000Z')
      const nodes = ['kube_node_info', 'kube_node_labels', 'kube_node_status_capacity']
      expect(await state()).to.deep.equal({
        through: '2026-01-16T12:00:00.000Z',
        failure: null,
        gaps: [
          { from: '2026-01-16T11:00:00.000Z', until: '2026-01-16T12:00:00.000Z', series: nodes },
          {
            from: '2026-01-15T11:00:00.000Z',
            until: '2026-01-16T11:00:00.000Z',
            series: ['container_memory_working_set_bytes'],
          },
          // Two days back nothing was told yet; of the last hour before ten five minutes are.
          { from: '2026-01-14T12:00:00.000Z', until: '2026-01-15T09:00:00.000Z', series: nodes },
        ],
      })
      const pods = async () =>
        (await org.facts(podsSql))
          .filter(({ begin }) => begin === '2026-01-15 10:00:00')
          .map((one) => Object.values(one))
      await until('its pods', async () => (await pods()).length === 3)
      const from = '2026-01-15 10:00:00'
      expect(await pods()).to.deep.equal([
        ['c-1', 'shop', 'lone', 'n2', '', '', from, 540, null],
        ['c-1', 'shop', 'nightly-1-x', 'n1', 'cronjob', 'nightly', from, 420, 1000],
        ['c-1', 'shop', 'web-1-a', 'n1', 'deployment', 'web', from, 3600, 494],
      ])

      await org.send('PATCH', `/kubernetes/sources/${id}`, { clusterUID: 'c-2', matchers: ['cluster="staging"'] })
      expect(await state()).to.deep.equal({ through: null, failure: null, gaps: [] })
      await run(org, 'kubernetes-pull')
      await until('the other cluster', async () => (await state()).through === '2026-01-16T12:00:00.000Z')
      const other = async () => (await pods()).filter(([cluster]) => cluster === 'c-2')
      await until('its pods', async () => (await other()).length === 1)
      expect(await other()).to.deep.equal([['c-2', 'shop', 'web-1-a', 'n1', 'statefulset', 'web', from, 3600, 2000]])
    })
  }),
)
