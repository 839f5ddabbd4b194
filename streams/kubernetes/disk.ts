/** Which disk a volume of a cluster is, by the name that its driver keeps. */

/** What a PersistentVolume says, by the kind of its driver. */
export interface VolumeNames {
  /** Of a CSI driver. */
  handle?: string | undefined
  /** `vol-0a1b`, or `aws://us-east-1a/vol-0a1b`. */
  ebs?: string | undefined
  gce?: string | undefined
  azure?: string | undefined
}

/** As bills name it. @returns undefined for a volume that is no disk of a cloud */
export function diskOf({ handle, ebs, gce, azure }: VolumeNames): string | undefined {
  if (handle) return isAzure(handle) ? handle.toLowerCase() : handle
  if (ebs) return ebs.slice(ebs.lastIndexOf('/') + 1) || undefined
  if (azure) return isAzure(azure) ? azure.toLowerCase() : azure
  return gce || undefined
}

/** Upper and lower case are the same there; bills are read as lower. */
const isAzure = (name: string): boolean => /^\/subscriptions\//i.test(name)
