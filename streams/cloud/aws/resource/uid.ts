/** Where a resource of AWS is and what its service calls it, by its uid and what the inventory says of it. */
import { cloudFault, type CloudAccount, type ResourceRef } from '#streams/cloud/connector.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'

/** `region` is empty for what has none in its name. */
const arnShape = /^arn:[\w-]+:[\w-]+:([\w-]*):(\d*):(.+)$/s

/**
 * The last name of a uid: of an ARN what stands behind its type (of a group behind `autoScalingGroupName/`, of a log group without
 * `:*`); of `<service>:<name>` the name; anything else is itself.
 */
export function nameOf(uid: string): string {
  const path = arnShape.exec(uid)?.[3]
  if (path === undefined) return uid.replace(/^[a-z0-9]+:/, '')
  const named = /^(?:autoScalingGroup:.*:autoScalingGroupName\/|log-group:|[a-z-]+[:/])(.+?)(?::\*)?$/s.exec(path)
  return named?.[1] ?? path
}

/** The parts of an ARN's path that dashes do not cut: `service/<cluster>/<name>` gives both. */
export const partsOf = (uid: string): string[] => nameOf(uid).split('/')

/** @throws `region_unknown` where nothing says it: another region would know nothing of it */
export function regionOf(
  { regions }: Pick<CloudAccount, 'regions'>,
  { resourceUid, type, region }: ResourceRef,
): string {
  const found = (region === 'global' ? '' : region) || arnShape.exec(resourceUid)?.[1]
  if (found) return found
  if (type === 'aws-s3-bucket' || type === 'aws-account') return globalRegion
  if (regions.length === 1) return regions[0]!
  throw cloudFault('user_action', 'region_unknown', `The region of ${resourceUid} is unknown.`, {
    fixHint: 'Refresh the inventory of its account, then retry.',
  })
}
