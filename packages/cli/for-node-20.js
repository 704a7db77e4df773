// What Node 20 lacks of the JavaScript that the sources use.
import 'core-js/actual/iterator/index.js';
import 'core-js/actual/json/raw-json.js';
import 'core-js/actual/map/group-by.js';
import 'core-js/actual/object/group-by.js';
import 'core-js/actual/promise/with-resolvers.js';
