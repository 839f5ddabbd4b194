/** Identifies the disk of a cluster's volume by the name in its driver's fields. */

/** Names in a PersistentVolume, by kind of driver. */
export interface VolumeNames {
  /** For a CSI driver. */
  handle?: string | undefined
  /** `vol-0a1b`, or `aws://us-east-1a/vol-0a1b`. */
  ebs?: string | undefined
  gce?: string | undefined
  azure?: string | undefined
}

/** The disk's name in bills. @returns undefined if the volume is not a cloud disk */
export function diskOf({ handle, ebs, gce, azure }: VolumeNames): string | undefined {
  if (handle) return isAzure(handle) ? handle.toLowerCase() : handle
  if (ebs) return ebs.slice(ebs.lastIndexOf('/') + 1) || undefined
  if (azure) return isAzure(azure) ? azure.toLowerCase() : azure
  return gce || undefined
}

/** Azure ids ignore case; bills are converted to lower case. */
const isAzure = (name: string): boolean => /^\/subscriptions\//i.test(name)
