/** Region and name of an AWS resource, from its uid and the inventory. */
import { cloudFault, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'

/** The region is empty for global resources. */
const arnShape = /^arn:[\w-]+:[\w-]+:([\w-]*):(\d*):(.+)$/s

/**
 * The name in a uid: in an ARN the part after the type (of an Auto Scaling group after `autoScalingGroupName/`, of a
 * log group without `:*`); in `<service>:<name>` the name; anything else unchanged.
 */
export function nameOf(uid: string): string {
  const path = arnShape.exec(uid)?.[3]
  if (path === undefined) return uid.replace(/^[a-z0-9]+:/, '')
  const named = /^(?:autoScalingGroup:.*:autoScalingGroupName\/|log-group:|[a-z-]+[:/])(.+?)(?::\*)?$/s.exec(path)
  return named?.[1] ?? path
}

/** The parts of the name, split at slashes: two for `service/<cluster>/<name>`. */
export const partsOf = (uid: string): string[] => nameOf(uid).split('/')

/** Where the services of resources without a region have their calls and metrics. */
const homes: Readonly<Record<string, string>> = {
  'aws-account': globalRegion,
  'aws-cloudfront': globalRegion,
  'aws-global-accelerator': 'us-west-2',
  'aws-iam-user': globalRegion,
  'aws-route53-health-check': globalRegion,
  'aws-route53-zone': globalRegion,
  'aws-s3-bucket': globalRegion,
  'aws-savings-plan': globalRegion,
}

/** @throws `region_unknown` if the region is unknown; another region would not know the resource */
export function regionOf(
  { regions }: Pick<CloudAccount, 'regions'>,
  { resourceUid, type, region }: ResourceRef,
): string {
  const found = (region === 'global' ? '' : region) || arnShape.exec(resourceUid)?.[1]
  if (found) return found
  const home = homes[type]
  if (home !== undefined) return home
  if (regions.length === 1) return regions[0]!
  throw cloudFault('user_action', 'region_unknown', `The region of ${resourceUid} is unknown.`, {
    fixHint: 'Refresh the inventory of its account, then retry.',
  })
}
