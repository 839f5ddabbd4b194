import { compute } from './compute.ts'
import { learning } from './learning.ts'
import { management } from './management.ts'
import { messaging } from './messaging.ts'
import { network } from './network.ts'
import { storage } from './storage.ts'

export const listedCases = [...network, ...compute, ...messaging, ...management, ...learning, ...storage]
