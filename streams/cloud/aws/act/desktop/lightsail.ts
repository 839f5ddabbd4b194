import type { Instance } from '@aws-sdk/client-lightsail'
import type { At } from '#streams/cloud/aws/act/kind.ts'
import { switchKind } from './switch-kind.ts'

/** Calls take its name, which its ARN does not have. */
async function find({ session, region, ref }: At): Promise<Instance | undefined> {
  const answers = session.pages(
    'lightsail',
    region,
    (m, pageToken) => new m.GetInstancesCommand({ ...(pageToken && { pageToken }) }),
    ({ nextPageToken }) => nextPageToken,
  )
  for await (const { instances = [] } of answers) {
    const found = instances.find(({ arn }) => arn === ref.resourceUid)
    if (found) return found
  }
  return undefined
}

export const lightsailInstance = switchKind({
  find,
  state: ({ state }) => state?.name,
  size: ({ bundleId }) => bundleId,
  start: ({ session, region }, { name: instanceName }) =>
    session.ask('lightsail', region, (m) => new m.StartInstanceCommand({ instanceName })),
  stop: ({ session, region }, { name: instanceName }) =>
    session.ask('lightsail', region, (m) => new m.StopInstanceCommand({ instanceName })),
})
