import { expect } from 'chai'
import { policies, quotas, replacePolicies } from '#streams/cloud/gcp/scaling-policy.ts'
import type { ResourceRef } from '#streams/cloud/connector.ts'
import { account, fails, farGoogle, type Answer, type FarGoogle, type Question } from './far-google.ts'

const zone = 'projects/shop-prod/zones/us-central1-a'
const group: ResourceRef = { resourceUid: `${zone}/instanceGroupManagers/api`, type: 'gcp-mig', region: 'us-central1' }
const pool: ResourceRef = {
  resourceUid: '//container.googleapis.com/projects/p/locations/l/clusters/c/nodePools/n',
  type: 'gcp-gke-nodepool',
  region: 'l',
}
const scaler = {
  name: 'by-load',
  description: '',
  autoscalingPolicy: {
    mode: 'ON',
    minNumReplicas: 2,
    maxNumReplicas: 8,
    cpuUtilization: { utilizationTarget: 0.6 },
    customMetricUtilizations: [{ metric: 'custom.googleapis.com/queue', utilizationTarget: 20 }],
  },
}

describe('policies and quotas of groups of Google Cloud', () => {
  let far: FarGoogle
  /** A group of four with an autoscaler, or without one. */
  const answering = async (
    own: object | undefined,
    other: (question: Question) => Answer | undefined = () => undefined,
  ) => {
    far = await farGoogle((question) => {
      const { method, path } = question
      const said = other(question)
      if (said) return said
      if (method !== 'GET') return { body: { name: 'operation' } }
      if (path.endsWith('/instanceGroupManagers/api'))
        return {
          body: {
            name: 'api',
            targetSize: 4,
            instanceTemplate: 'https://www.googleapis.com/compute/v1/projects/shop-prod/global/instanceTemplates/api',
            status: own && { autoscaler: `https://www.googleapis.com/compute/v1/${zone}/autoscalers/by-load` },
          },
        }
      if (path.endsWith('/instanceTemplates/api'))
        return { body: { name: 'api', properties: { machineType: 'n2-standard-4' } } }
      return { body: own ?? {} }
    })
    return far.options
  }
  afterEach(() => far.close())

  it('are one for each thing that an autoscaler watches, by our names where there is one', async () => {
    expect(await policies(await answering(scaler), account, group)).to.deep.equal([
      { policyName: 'by-load', metric: 'cpu_percent', target: 60, managedBy: 'customer' },
      { policyName: 'by-load', metric: 'custom.googleapis.com/queue', target: 20, managedBy: 'customer' },
    ])
    await far.close()
    const off = { ...scaler, autoscalingPolicy: { ...scaler.autoscalingPolicy, mode: 'OFF' } }
    expect(await policies(await answering(off), account, group)).to.deep.equal([])
    await far.close()
    expect(await policies(await answering(undefined), account, group)).to.deep.equal([])
    expect(await policies(far.options, account, pool)).to.deep.equal([])
  })

  it('are replaced by one call, after which ours stands alone with the bounds there were', async () => {
    await replacePolicies(await answering(scaler), account, group, {
      id: 'r-1',
      policyName: 'tidemark-api',
      metric: 'cpu_percent',
      target: 55,
    })
    const { method, path, query, body } = far.questions.at(-1)!
    expect([method, path, query.get('autoscaler')]).to.deep.equal(['PUT', `/compute/v1/${zone}/autoscalers`, 'by-load'])
    expect(body).to.deep.equal({
      name: 'by-load',
      description: 'tidemark: tidemark-api',
      target: `${zone}/instanceGroupManagers/api`,
      autoscalingPolicy: {
        mode: 'ON',
        minNumReplicas: 2,
        maxNumReplicas: 8,
        cpuUtilization: { utilizationTarget: 0.55 },
      },
    })
    await far.close()
    expect(await policies(await answering(body), account, group)).to.deep.equal([
      { policyName: 'tidemark-api', metric: 'cpu_percent', target: 55, managedBy: 'tidemark' },
    ])
  })

  it('are made where there are none, with as many machines as there may be', async () => {
    await replacePolicies(await answering(undefined), account, group, {
      id: 'r-1',
      policyName: 'p',
      metric: 'cpu_percent',
      target: 55,
    })
    const { method, body } = far.questions.at(-1)!
    expect([
      method,
      body.name,
      body.autoscalingPolicy.minNumReplicas,
      body.autoscalingPolicy.maxNumReplicas,
    ]).to.deep.equal(['POST', 'api', 1, 4])
  })

  it('cannot be ours for pools of nodes, or for what we do not watch', async () => {
    const options = await answering(scaler)
    const order = { id: 'r-1', policyName: 'p', metric: 'cpu_percent', target: 55 }
    expect(await fails(replacePolicies(options, account, pool, order))).to.equal('user_action unsupported_action')
    expect(await fails(replacePolicies(options, account, group, { ...order, metric: 'memory_percent' }))).to.equal(
      'user_action unsupported_action',
    )
    expect(await fails(replacePolicies(options, account, group, { ...order, target: 0 }))).to.equal(
      'user_action unsupported_action',
    )
    expect(far.asked).to.deep.equal([])
  })

  it('let a group grow as far as the region has processors of its family left', async () => {
    const region = (question: Question): Answer | undefined =>
      question.path.endsWith('/regions/us-central1')
        ? {
            body: {
              name: 'us-central1',
              quotas: [
                { metric: 'CPUS', limit: 1000, usage: 0 },
                { metric: 'N2_CPUS', limit: 50, usage: 27 },
              ],
            },
          }
        : undefined
    // 23 processors are left, which is five machines of four beside the four that there are.
    expect(await quotas(await answering(undefined, region), account, group)).to.deep.equal({ max: 9 })
    await far.close()
    expect(
      await quotas(await answering(undefined, region), account, { ...group, instanceType: 'e2-standard-8' }),
    ).to.deep.equal({ max: 4 + 125 })
    expect(await quotas(far.options, account, { ...group, instanceType: 'x9-huge' })).to.deep.equal({})
    expect(await quotas(far.options, account, pool)).to.deep.equal({})
  })
})
