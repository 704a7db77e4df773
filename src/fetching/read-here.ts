/** Reading what others wrote in this process, as the command line does. */
import { readArchive } from '../archive/read-archive.ts';
import { readLayers } from '../archive/read-layers.ts';
import { chooseChart } from './helm-index.ts';
import type { ForeignReader } from './host.ts';

export const READ_HERE: ForeignReader = {
  archive: async (bytes) => readArchive(bytes),
  layers: async (layers, directory) => readLayers(layers, undefined, directory),
  chart: async (index, wanted) => chooseChart(index, wanted),
};
