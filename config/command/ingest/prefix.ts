/** Buckets as the command line names them, opened with the credentials that the clouds' own tools take from the environment. */
import { readFile } from 'node:fs/promises'
import { Registry } from 'prom-client'
import { systemClock } from '#engine/clock.ts'
import { objectsInS3 } from '#streams/cloud/aws/bill/prefix.ts'
import { blobsBelow } from '#streams/cloud/azure/bill/prefix.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { measureCalls } from '#streams/cloud/call/meter.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { objectsInGcs } from '#streams/cloud/gcp/bill/prefix.ts'
import type { StoredObject } from '#streams/cloud/bill/stored-object.ts'
import type { Provider } from '#streams/names.ts'
import type { Settings } from '#config/settings/settings.ts'

type List = (location: string, settings: Settings, caller: Caller) => Promise<StoredObject[]>

const places: readonly { shape: RegExp; list: List }[] = [
  {
    shape: /^s3:\/\//,
    list: (location, { awsEndpoint: endpoint }, caller) =>
      objectsInS3({ caller, endpoint }, nobody('aws', 'environment'), location),
  },
  {
    shape: /^https:\/\/[a-z0-9]{3,24}\.blob\.core\.windows\.net\//,
    list: (location, settings, caller) => {
      const { azureEndpoint: endpoint, azureTenant, azureClient, azureClientSecret } = settings
      if (!azureTenant || !azureClient || !azureClientSecret)
        throw new Error(`Set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET to read ${location}.`)
      const credentials = { tenantID: azureTenant, clientID: azureClient, clientSecret: azureClientSecret }
      return blobsBelow({ caller, endpoint }, nobody('azure', azureTenant, credentials), location)
    },
  },
  {
    shape: /^gs:\/\//,
    async list(location, { gcpEndpoint: endpoint, googleCredentials }, caller) {
      if (!googleCredentials) throw new Error(`Set GOOGLE_APPLICATION_CREDENTIALS to read ${location}.`)
      const credentials = { serviceAccount: await readFile(googleCredentials, 'utf8') }
      return objectsInGcs({ caller, endpoint }, nobody('gcp', 'environment', credentials), location)
    },
  },
]

/** What is asked is no account that is connected. */
const nobody = (provider: Provider, externalId: string, credentials: unknown = {}): CloudAccount => ({
  id: 'command',
  orgId: 'command',
  provider,
  externalId,
  name: 'command',
  regions: [],
  credentials,
})

export const isPrefix = (given: string): boolean => places.some(({ shape }) => shape.test(given))

/** What lies below a prefix. @throws Error where the environment has no credentials; what the cloud says */
export function listedBelow(given: string, settings: Settings): Promise<StoredObject[]> {
  const caller = new Caller({ clock: systemClock, meter: measureCalls(new Registry()), random: Math.random })
  return places.find(({ shape }) => shape.test(given))!.list(given, settings, caller)
}
