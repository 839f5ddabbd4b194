import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { provisions as aws } from '#streams/cloud/aws/provision/index.ts'
import { provisions as azure } from '#streams/cloud/azure/provision/index.ts'
import { provisions as gcp } from '#streams/cloud/gcp/provision/index.ts'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { gcpCloud } from '#streams/cloud/gcp/connector.ts'
import { provisioningKinds, type DatabaseRequest } from '#streams/cloud/provision.ts'
import { providers } from '#streams/names.ts'
import { fails } from '#test/streams/cloud/gcp/far-google.ts'

const page = readFileSync(new URL('../../../../../docs/provisioning.md', import.meta.url), 'utf8')

/** Rows of the table after a line, the head first. */
const tableAfter = (line: string): string[][] =>
  (page.split(`${line}\n\n`)[1] ?? '')
    .split('\n\n')[0]!
    .split('\n')
    .filter((_, at) => at !== 1)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

describe('the table of kinds and clouds in the documents', () => {
  it('says what each connector offers', () => {
    const [head, ...rows] = tableAfter('What each cloud offers:')
    expect(head).to.deep.equal(['`kind`', 'AWS', 'Google Cloud', 'Azure'])
    expect(rows.map(([kind]) => kind)).to.deep.equal(provisioningKinds.map((kind) => `\`${kind}\``))
    const said = (column: number) =>
      rows.flatMap((cells) => (cells[column] === 'not yet' ? [] : [cells[0]!.replaceAll('`', '')]))
    expect([said(1), said(2), said(3)].map((kinds) => kinds.toSorted())).to.deep.equal(
      [aws, gcp, azure].map((kinds) => [...kinds].toSorted()),
    )
  })

  it('says on servers of which engine each connector creates databases', async () => {
    const options = { allowPrivate: false, clock: systemClock, caller } as never
    const connectors = { aws: awsCloud(options), gcp: gcpCloud(options), azure: azureCloud(options) }
    const [head, ...rows] = tableAfter('### Databases by cloud')
    expect(head).to.deep.equal(['engine', 'AWS', 'Google Cloud', 'Azure'])
    for (const [engine = '', ...cells] of rows)
      for (const [at, cloud] of Object.values(connectors).entries()) {
        const account = {
          id: 'a',
          orgId: 'o',
          provider: providers[at]!,
          externalId: '-',
          name: '',
          regions: [],
          credentials: null,
        }
        const fault = await fails(cloud.createDatabase(account, requestOf(engine.replaceAll('`', ''))))
        expect(fault === 'system unsupported_provisioning', `${engine} ${at} ${fault}`).to.equal(
          cells[at] === 'not offered',
        )
      }
  })
})

const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: () => 1 })

/** Of a server that is not known, so that no cloud is called. */
const requestOf = (engine: string): DatabaseRequest => ({
  jobId: 'job-1',
  databaseId: 'db-1',
  region: 'us-east-1',
  name: 'shop',
  owner: 'shop_app',
  engine,
  outputs: {},
  password: null,
  token: 'token-1',
})
