import { expect } from 'chai'
import { openResourceFile, type ResourceReading } from '#streams/resource/reader.ts'
import { bytes } from '#test/streams/billing/reading.ts'

async function readAll(content: string, accountId?: string): Promise<ResourceReading[]> {
  const out: ResourceReading[] = []
  const { rows } = await openResourceFile(bytes(content), accountId === undefined ? {} : { accountId })
  for await (const reading of rows) out.push(reading)
  return out
}

const data = {
  resourceUid: 'i-1',
  name: 'web',
  type: 'aws-ec2',
  provider: 'aws',
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
}

describe('reading a resource file', () => {
  it('reads data and envelopes of JSON, with the time of the envelope', async () => {
    const envelope = {
      id: '1',
      type: 'resource.discovered',
      schemaVersion: 1,
      orgId: 'o',
      time: '2026-01-15T10:00:00Z',
      data,
    }
    const content = [data, envelope, { ...envelope, type: 'resource.deleted' }, { ...data, type: 'EC2' }]
      .map((o) => JSON.stringify(o))
      .join('\n')
    const [first, second, third, fourth] = await readAll(content)
    expect([first, second, third]).to.deep.equal([
      { row: 1, data },
      { row: 2, data, time: '2026-01-15T10:00:00.000Z' },
      { row: 3, refused: { code: 'type_unexpected', message: 'The message is not a resource.discovered.' } },
    ])
    expect(fourth).to.have.property('refused').that.includes({ code: 'validation_failed' })
  })

  it('reads CSV with the names of its fields, numbers and maps from their text', async () => {
    const content = [
      'resource_uid,name,type,provider,region,sizeGB,unitCount,schedulable,tags,specs,hourlyRateUSD,note',
      'i-1,,aws-ec2,aws,us-east-1,8.5,3,true,"{""env"":""prod"",""n"":1}","{""cpu"":4}",0.096,x',
      'i-2,7,aws-ec2,aws,,,,,,,,',
    ].join('\n')
    const base = { type: 'aws-ec2', provider: 'aws', cloudAccountId: 'acct-9' }
    expect(await readAll(content, 'acct-9')).to.deep.equal([
      {
        row: 2,
        data: {
          ...base,
          resourceUid: 'i-1',
          name: '',
          region: 'us-east-1',
          sizeGB: 8.5,
          unitCount: 3,
          schedulable: true,
          tags: { env: 'prod', n: '1' },
          specs: { cpu: 4 },
          hourlyRateUSD: 0.096,
        },
      },
      { row: 3, data: { ...base, resourceUid: 'i-2', name: '7', region: '' } },
    ])
  })

  it('refuses each row without an account, and a file without its columns as a whole', async () => {
    const { cloudAccountId: _account, ...rest } = data
    const [found] = await readAll(JSON.stringify(rest))
    expect(found).to.have.property('refused').that.includes({ code: 'validation_failed' })
    const error: unknown = await readAll('name,region\na,b\n').catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('missing: resourceUid, type, provider')
  })
})
