import { expect } from 'chai'
import { predict, signalsOf, teamSlug, type Around } from '#actors/tagging/suggestion/predict.ts'
import { isVitalType } from '#actors/tagging/suggestion/vital-type.ts'
import { neighbourhoodOf, networkOf, type TagFacts } from '#actors/tagging/facts.ts'
import { sharedEnv } from '#actors/tagging/suggestion/neighbours.ts'

const facts = (own: Partial<TagFacts> = {}): TagFacts => ({
  name: 'x',
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  instanceType: 'm5.large',
  resourceGroup: '',
  network: '',
  parentUid: '',
  tags: {},
  ...own,
})
const of = (own: Partial<TagFacts>, around: Partial<Around> = {}) =>
  predict(signalsOf(facts(own)), { parentEnv: '', topologyEnv: '', ...around })
const sure = (own: Partial<TagFacts>, around: Partial<Around> = {}) => {
  const found = of(own, around)
  return found && [found.env, found.confidence]
}
const envOfName = (name: string) => of({ name })?.env

describe('predictions', () => {
  it('of one signal are as sure as it weighs [AUTO-24]', () => {
    expect(sure({ tags: { env: 'prod' } })).to.deep.equal(['prod', 78])
    expect(sure({ name: 'shop-dev-web' })).to.deep.equal(['dev', 70])
    expect(sure({}, { parentEnv: 'staging' })).to.deep.equal(['staging', 60])
    expect(sure({}, { topologyEnv: 'prod' })).to.deep.equal(['prod', 55])
    expect(sure({ instanceType: 't3.micro' })).to.deep.equal(['dev', 35])
    expect(sure({})).to.equal(undefined)
  })

  it('read names of ASCII as they read all others', () => {
    const parts = [
      'prod',
      'PRE',
      'non',
      'Dev2',
      'stg',
      'live',
      '7',
      'db',
      'primary',
      '-',
      '_',
      '.',
      ' ',
      '\t',
      '[',
      '`',
      '{',
      '@',
      '/',
      ':',
    ]
    for (let n = 0; n < 5000; n++) {
      const name = Array.from(
        { length: 1 + (n % 9) },
        (_, at) => parts[(n * 31 + at * at * 17 + n * at) % parts.length],
      ).join('')
      // A sign that is no letter tells nothing, but is beyond ASCII.
      expect(signalsOf(facts({ name })), name).to.deep.equal(signalsOf(facts({ name: `${name} ·` })))
    }
    expect(envOfName('größe-prod-straße')).to.equal('prod')
    expect(envOfName('prodü')).to.equal(undefined)
  })

  it('of several that agree are 88, of three and more 95 [AUTO-23]', () => {
    const shop = { name: 'shop-prod-db-1', tags: { env: 'prod' } }
    expect(sure(shop)).to.deep.equal(['prod', 88])
    expect(sure(shop, { parentEnv: 'prod' })).to.deep.equal(['prod', 95])
    expect(sure({ ...shop, instanceType: 'm5.metal' }, { parentEnv: 'prod', topologyEnv: 'prod' })).to.deep.equal([
      'prod',
      95,
    ])
    expect(sure({ instanceType: 'm5.12xlarge' }, { topologyEnv: 'prod' })).to.deep.equal(['prod', 88])
  })

  it('follow the strongest signal, and lose 20 by each that contradicts, to 1 at least [AUTO-19]', () => {
    expect(sure({ name: 'x-prod-1', tags: { env: 'dev' } })).to.deep.equal(['dev', 58])
    expect(sure({ name: 'a-prod', tags: { env: 'prod' } }, { parentEnv: 'dev' })).to.deep.equal(['prod', 68])
    expect(sure({ instanceType: 'm5.metal' }, { topologyEnv: 'dev' })).to.deep.equal(['dev', 35])
    const crowded = { name: 'a-dev-prod', instanceType: 'm5.large', tags: { stage: 'uat' } }
    // 78, less 20 for each of: the name, what else the name has, parent, neighbourhood.
    expect(sure(crowded, { parentEnv: 'prod', topologyEnv: 'dev' })).to.deep.equal(['staging', 1])
  })

  it('take further environments of a name for contradictions, once each', () => {
    expect(sure({ name: 'prod-dev-1' })).to.deep.equal(['prod', 50])
    expect(sure({ name: 'prod-dev-test-uat' })).to.deep.equal(['prod', 30])
    expect(sure({ name: 'prod-live' })).to.deep.equal(['prod', 70])
    // The name is against the tag; that it has the tag's environment too is not.
    expect(sure({ name: 'prod-dev', tags: { env: 'dev' } })).to.deep.equal(['dev', 58])
  })

  it('know the tokens of each environment, in any case [AUTO-12]', () => {
    const said = (env: string) => (token: string) => expect(envOfName(`a_${token}.b`), token).to.equal(env)
    for (const token of ['prod', 'production', 'PRD', 'Live']) said('prod')(token)
    for (const token of ['staging', 'stage', 'stg', 'UAT', 'preprod']) said('staging')(token)
    for (const token of ['dev', 'develop', 'development', 'test', 'testing', 'qa', 'sandbox', 'sbx']) said('dev')(token)
    for (const name of ['product', 'devops', 'latest', 'contest', 'prod1', 'x'])
      expect(envOfName(name)).to.equal(undefined)
  })

  it('read pre-prod as staging, and a production that is denied as nothing', () => {
    expect(['pre-prod', 'shop-pre_production-1', 'pre.live'].map(envOfName)).to.deep.equal(Array(3).fill('staging'))
    expect(['non-prod', 'not-production', 'no-live', 'nonprod'].map(envOfName)).to.deep.equal(Array(4).fill(undefined))
    expect(envOfName('non-prod-dev')).to.equal('dev')
    expect(sure({ tags: { env: 'pre-prod' } })).to.deep.equal(['staging', 78])
    expect(sure({ tags: { env: 'non-prod' } })).to.equal(undefined)
  })

  it('read tags env, environment and stage, in this order and any case; a value that says nothing is none', () => {
    expect(sure({ tags: { stage: 'dev', ENVIRONMENT: 'uat', Env: 'live' } })).to.deep.equal(['prod', 78])
    expect(sure({ tags: { stage: 'dev', Environment: 'uat', env: 'blue' } })).to.deep.equal(['staging', 78])
    expect(sure({ tags: { env: 'eu/production' } })).to.deep.equal(['prod', 78])
    expect(sure({ tags: { environments: 'prod', tier: 'prod', env: '' } })).to.equal(undefined)
  })

  it('read the size class: to small it is development, from eight times xlarge and bare metal production', () => {
    for (const type of ['t3.nano', 't4g.micro', 'db.t3.small', 'e2-micro', 'g1-small'])
      expect(sure({ instanceType: type }), type).to.deep.equal(['dev', 35])
    for (const type of ['m5.8xlarge', 'db.r5.24xlarge', 'c5.metal', 'm7i.metal-24xl'])
      expect(sure({ instanceType: type }), type).to.deep.equal(['prod', 35])
    for (const type of ['', 'm5.large', 'm5.xlarge', 'm5.4xlarge', 'Standard_B1s', 'smallish'])
      expect(sure({ instanceType: type }), type).to.equal(undefined)
  })

  it('find an owner in tags owner, team and contact, else where a team is called as the name begins [AUTO-14]', () => {
    const owner = (own: Partial<TagFacts>, teamName?: string) => of(own, { teamName })?.extraTags
    const prod = { name: 'shop-prod-1' }
    expect(owner({ ...prod, tags: { contact: 'c', Team: 'Tee', OWNER: ' ' } })).to.deep.equal({ owner: 'Tee' })
    expect(owner({ ...prod, tags: { contact: 'A b@c' } })).to.deep.equal({ owner: 'A b@c' })
    expect(owner({ ...prod, tags: { owner: 'Own' } }, 'Shop')).to.deep.equal({ owner: 'Own' })
    expect(owner(prod, 'Shop')).to.deep.equal({ owner: 'Shop' })
    expect(owner(prod)).to.deep.equal({})
    const prefix = (name: string) => signalsOf(facts({ name })).prefix
    expect([prefix('Web_Shop--prod-1'), prefix('shop-pre-prod'), prefix('prod-1'), prefix('shop')]).to.deep.equal([
      'web-shop',
      'shop',
      undefined,
      undefined,
    ])
    expect([teamSlug('Web  Shop'), teamSlug('(web) shop!')]).to.deep.equal(['web-shop', 'web-shop'])
    expect(of({ tags: { owner: 'Own' } })).to.equal(undefined)
  })

  it('say that production is not to be stopped where it is a database, a cluster or so called, and what tags say [AUTO-13]', () => {
    const noStop = (own: Partial<TagFacts>) => of(own)?.noStop
    const prod = { tags: { env: 'prod' } }
    expect(noStop(prod)).to.equal(false)
    for (const type of ['aws-rds', 'aws-redshift', 'aws-eks', 'aws-ecs-cluster', 'gcp-gke', 'azure-aks', 'azure-mysql'])
      expect(noStop({ ...prod, type }), type).to.equal(true)
    for (const name of ['primary', 'x-master-1', 'bastion', 'VPN', 'dns'])
      expect(noStop({ ...prod, name }), name).to.equal(true)
    expect(noStop({ tags: { env: 'dev' }, type: 'aws-rds', name: 'primary' })).to.equal(false)
    for (const value of ['true', '1', 'Yes', 'ON'])
      expect(noStop({ tags: { env: 'dev', 'Always-On': value } }), value).to.equal(true)
    for (const value of ['false', '0', '', 'maybe'])
      expect(noStop({ tags: { env: 'dev', 'no-stop': value } }), value).to.equal(false)
    const others = [
      'aws-rds-snapshot',
      'gcp-cloudsql-backup',
      'aws-eks-nodegroup',
      'aws-eks-clusterrole',
      'aws-ec2',
      'x',
    ]
    expect(others.filter(isVitalType)).to.deep.equal([])
  })

  it('say in one sentence what they go by [AUTO-16]', () => {
    const reason = (own: Partial<TagFacts>, around: Partial<Around> = {}) => of(own, around)?.reason
    expect(reason({ name: 'shop-prod-db-1', tags: { env: 'prod' } })).to.equal(
      'The tag env=prod and the name (prod) indicate prod.',
    )
    expect(reason({ name: 'x-prod-1', tags: { env: 'dev' } })).to.equal(
      'The tag env=dev indicates dev, but the name (prod) indicates prod.',
    )
    expect(reason({ name: 'prod-dev', instanceType: 't3.micro' }, { parentEnv: 'prod', topologyEnv: 'prod' })).to.equal(
      'The name (prod), its parent and its neighborhood indicate prod, but the size t3.micro indicates dev and the name also contains dev.',
    )
    expect(reason({ tags: { env: `prod-${'x'.repeat(100)}` } })).to.equal(
      `The tag env=prod-${'x'.repeat(55)}… indicates prod.`,
    )
  })
})

describe('neighbourhoods', () => {
  it('are the resource group, else the network', () => {
    expect(neighbourhoodOf({ resourceGroup: 'g', network: 'n' })).to.equal('group:g')
    expect(neighbourhoodOf({ resourceGroup: '', network: 'n' })).to.equal('network:n')
    expect(neighbourhoodOf({ resourceGroup: '', network: '' })).to.equal('')
    expect(neighbourhoodOf({ resourceGroup: '', network: 'n'.repeat(500) })).to.equal('')
    expect(networkOf({ subnet_id: 's', vpc_id: 'v', network: 7 })).to.equal('v')
    expect(networkOf({ network: 7, vpc: '' })).to.equal('')
  })

  it('say an environment where four in five of the others do', () => {
    expect(
      sharedEnv(
        new Map([
          ['prod', 4],
          ['', 1],
        ]),
      ),
    ).to.equal('prod')
    expect(
      sharedEnv(
        new Map([
          ['prod', 3],
          ['dev', 1],
        ]),
      ),
    ).to.equal('')
    expect(sharedEnv(new Map([['', 5]]))).to.equal('')
    expect(sharedEnv(new Map([['dev', 0]]))).to.equal('')
    expect(sharedEnv(new Map())).to.equal('')
  })
})
