import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { checkBillPlace, checkCredentials } from '#http/account/check-input.ts'
import type { Services } from '#http/edge/services.ts'
import type { Driver } from '#streams/cloud/connector.ts'
import { serviceAccount } from '#test/streams/cloud/gcp/far-google.ts'

const asked = (driver: Driver) => ({ cloudOf: () => ({ driver }), settings: {} }) as unknown as Services
const placed = (credentials: unknown) => ({ provider: 'gcp', externalId: 'shop-prod', credentials }) as const

/** The members that are refused, by their names in the body. */
function refused(check: () => void): string[] {
  try {
    check()
    return []
  } catch (error) {
    const { kind, detail } = Fault.from(error)
    expect(kind).to.equal('invalid')
    return (detail['errors'] as { name: string }[]).map(({ name }) => name)
  }
}

describe('credentials of a project of Google Cloud in a body', () => {
  it('are refused by the members that lead elsewhere, where the cloud is asked as it is', () => {
    const hostile = {
      ...serviceAccount,
      token_uri: 'https://evil.example/token',
      credential_source: { file: '/etc/passwd' },
    }
    const check = (driver: Driver) =>
      refused(() => checkCredentials(placed({ serviceAccount: hostile }), asked(driver)))
    expect(check('real')).to.deep.equal([
      '/credentials/serviceAccount/token_uri',
      '/credentials/serviceAccount/credential_source',
    ])
    expect(check('simulated')).to.deep.equal([])
    for (const externalId of ['123456', 'shop-prod/../other', 'Shop'])
      expect(
        refused(() => checkCredentials({ ...placed({ serviceAccount }), externalId }, asked('real'))),
      ).to.deep.equal(['/externalID'])
    expect(refused(() => checkCredentials(placed({ serviceAccount }), asked('real')))).to.deep.equal([])
  })

  it('are the service account of the machine only where the operator allows it', () => {
    const attached = placed({ attachedIdentity: true })
    const of = (googleAttached: boolean) => ({ ...asked('real'), settings: { googleAttached } }) as Services
    expect([true, false].map((may) => refused(() => checkCredentials(attached, of(may))))).to.deep.equal([
      [],
      ['/credentials/attachedIdentity'],
    ])
    expect(refused(() => checkCredentials(placed({ serviceAccount, attachedIdentity: true }), of(true)))).to.deep.equal(
      ['/credentials'],
    )
  })

  it('come with bills of BigQuery, or of Cloud Storage', () => {
    const check = (location: string, driver: Driver = 'real') =>
      refused(() => checkBillPlace(placed(null), { location }, asked(driver)))
    for (const fine of [
      'bigquery://shop-bills/export',
      'shop-bills.export',
      'bigquery://shop-bills/export/gcp_billing_export_resource_v1_0A_1',
      'gs://shop-bills',
      'gs://shop-bills/focus/daily/',
    ])
      expect(check(fine), fine).to.deep.equal([])
    for (const wrong of [
      's3://bills/x',
      'shop-bills',
      'bigquery://shop-bills/export`x',
      'bigquery://shop-bills/export/other',
      'gs://SHOP',
      'gs://shop-bills/../x',
      'gs://shop-bills/a?b',
    ])
      expect(check(wrong), wrong).to.deep.equal(['/billingExport/location'])
    expect(check('anything', 'simulated')).to.deep.equal([])
  })
})
