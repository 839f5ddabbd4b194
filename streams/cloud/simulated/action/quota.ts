/** How many units fleets of the simulated cloud may have. */

/** By type; of what is not here the cloud tells nothing, and refuses nothing. */
const most: Readonly<Record<string, number>> = {
  'aws-asg': 100,
  'aws-ecs-service': 100,
  'gcp-mig': 60,
  'azure-vmss': 40,
}

export const quotaOf = (type: string): number | undefined => most[type]
