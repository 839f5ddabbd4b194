import { expect } from 'chai'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { reachOf } from '#actors/recommendation/rule/reach.ts'
import { realReach } from '#streams/cloud/resource/reach.ts'
import { declares } from '#actors/recommendation/rule/vocabulary.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'

const of = (provider: Rule['provider']) => allRules().filter((rule) => rule.provider === provider)
const missed = (provider: Rule['provider']) => of(provider).filter((rule) => reachOf(rule).reach !== 'real')
const idsOf = (rules: readonly Rule[]) => rules.map(({ id }) => id)

describe('whether a rule can fire on a connected account', () => {
  it('is so of at least 95 % of the 264 rules of AWS, now 254; the others are these', () => {
    expect(of('aws').length).to.equal(264)
    expect(idsOf(missed('aws'))).to.deep.equal([
      'RC-1046',
      'RC-1050',
      'RC-1090',
      'RC-1114',
      'RC-1149',
      'RC-1150',
      'RC-1191',
      'RC-1193',
      'RC-1608',
      'RC-1610',
    ])
  })

  it('is so of at least 95 % of the 156 and 255 rules of Google Cloud and Azure, which is 149 and 243', () => {
    expect([of('gcp').length, of('azure').length]).to.deep.equal([156, 255])
    expect(of('gcp').length - missed('gcp').length).to.be.at.least(149)
    expect(of('azure').length - missed('azure').length).to.be.at.least(243)
    expect(of('any').length - missed('any').length).to.be.at.least(5)
  })

  it('names what is not found: the type, the attribute, the relation or the metric', () => {
    const why = (id: string) => reachOf(allRules().find((rule) => rule.id === id)!)
    expect(why('RC-1050')).to.deep.equal({ reach: 'fed', missing: ['aws-mwaa is not found'] })
    expect(why('RC-1149')).to.deep.equal({ reach: 'simulated', missing: ['specs.multipart_gb of aws-s3-bucket'] })
    expect(why('RC-1193')).to.deep.equal({
      reach: 'simulated',
      missing: ['metric.storage_used_percent.max.30d of aws-eks-persistentvolumeclaim'],
    })
    expect(why('RC-1091')).to.deep.equal({ reach: 'real', missing: [] })
    expect(why('RC-1001')).to.deep.equal({ reach: 'real', missing: [] })
  })

  it('knows of each type what its mapping writes, a value or none', () => {
    const specs = (type: string) => realReach().get(type)!.attributes
    expect([...specs('aws-redshift')].toSorted()).to.deep.equal([
      'created_at',
      'encrypted',
      'node_count',
      'node_type',
      'pause_schedule',
      'publicly_accessible',
      'vpc_id',
    ])
    expect([...specs('gcp-workbench')].toSorted()).to.deep.equal(['created_at', 'gpu_count', 'idle_shutdown', 'state'])
    expect([...specs('azure-nat-gateway')]).to.deep.equal(['subnet_count'])
    expect([...specs('aws-kinesis-stream')]).to.include.members(['stream_mode', 'open_shards'])
    expect([...specs('aws-eks-job')]).to.include.members(['finished', 'ttl_seconds'])
  })

  it('finds types that there are, and attributes of each whose rules read some', () => {
    const types = [...realReach()]
    expect(types.filter(([type]) => !typeOf(type)).map(([type]) => type)).to.deep.equal([])
    const read = (type: string) =>
      allRules().some(
        ({ applies, needs }) =>
          applies.types.includes(type) && needs.specs.some((name) => declares(type, `specs.${name}`)),
      )
    const bare = types.filter(([type, { attributes }]) => attributes.size === 0 && read(type)).map(([type]) => type)
    expect(bare).to.deep.equal([])
  })
})
