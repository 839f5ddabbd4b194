/** The cloud's disk of a persistent volume. */
import { diskOf } from '#streams/kubernetes/disk.ts'
import { textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'

/** As bills name it; undefined if the volume is not a disk of a cloud. */
export const volumeUid = (volume: Json): string | undefined =>
  diskOf({
    handle: textAt(volume, 'spec', 'csi', 'volumeHandle'),
    ebs: textAt(volume, 'spec', 'awsElasticBlockStore', 'volumeID'),
    gce: textAt(volume, 'spec', 'gcePersistentDisk', 'pdName'),
    azure: textAt(volume, 'spec', 'azureDisk', 'diskURI'),
  })
