import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { checkBillPlace, checkCredentials } from '#http/account/check-input.ts'
import type { Services } from '#http/edge/services.ts'

const number = '123456789012'
const good = { roleARN: `arn:aws:iam::${number}:role/tidemark`, externalID: 'tidemark-ours' }

const services = (driver: string): Services =>
  ({
    cloudOf: () => ({ driver }),
    externalIds: () => ['tidemark-ours', 'tidemark-ours-before'],
    settings: { allowPrivateAddresses: false },
  }) as unknown as Services

/** The member, code and message of the refusal; empty where nothing is refused. */
function refusal(work: () => void): string {
  try {
    work()
    return ''
  } catch (error) {
    const [one] = Fault.from(error).detail['errors'] as { name: string; code: string; message: string }[]
    return `${one!.name} ${one!.code}: ${one!.message}`
  }
}

const checked = (credentials: object, driver = 'real') =>
  refusal(() => checkCredentials({ provider: 'aws', externalId: number, credentials }, services(driver)))

describe('credentials of AWS', () => {
  it('are a role of the account itself', () => {
    expect([
      checked(good),
      checked({ ...good, roleARN: 'arn:aws:iam::999999999999:role/tidemark' }),
      checked({ ...good, roleARN: `arn:aws:iam::${number}:user/ana` }),
    ]).to.deep.equal([
      '',
      '/credentials/roleARN value: is a role of account 999999999999, not of 123456789012',
      '/credentials/roleARN pattern: must have the form arn:aws:iam::123456789012:role/tidemark',
    ])
  })

  it('have an external id of this organization and of no other', () => {
    const others =
      '/credentials/externalID value: must be the external ID of this organization: see GET /cloud-accounts/external-id'
    expect([
      checked({ ...good, externalID: 'tidemark-ours-before' }),
      checked({ ...good, externalID: 'tidemark-theirs' }),
      checked({ ...good, externalID: '' }),
    ]).to.deep.equal(['', others, others])
  })

  it('hold no kubeconfig that runs a program or reads a file', () => {
    const given = (user: object) => {
      const kubeconfig = JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: 'https://example.com' } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      })
      const cluster = `arn:aws:eks:eu-west-1:${number}:cluster/shop`
      return checked({ ...good, kubeconfigs: { [cluster]: kubeconfig } }).split(': ', 1)[0]
    }
    const refused = `/credentials/kubeconfigs/arn:aws:eks:eu-west-1:${number}:cluster~1shop kubeconfig`
    expect([
      given({ token: 'abc' }),
      given({ exec: { command: '/bin/sh' } }),
      given({ tokenFile: '/etc/passwd' }),
      given({ 'auth-provider': { name: 'oidc' } }),
    ]).to.deep.equal(['', refused, refused, refused])
  })

  it('may be anything for a simulated account', () => {
    expect(checked({ roleARN: 'x', externalID: 'y' }, 'simulated')).to.equal('')
  })

  it('come with bills in S3 and nowhere else', () => {
    const account = { provider: 'aws' as const, externalId: number, credentials: good }
    const placed = (location: string) => refusal(() => checkBillPlace(account, { location }, services('real')))
    const refused = '/billingExport/location pattern: must have the form s3://bucket/prefix'
    expect([
      placed('s3://my-bills/production/'),
      placed('file:///etc/passwd'),
      placed('http://169.254.169.254/latest'),
      placed('s3://../../x'),
      placed('s3://my-bills/../x'),
    ]).to.deep.equal(['', refused, refused, refused, refused])
  })
})
