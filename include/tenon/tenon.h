// Tenon: write array code, get gradients, batching and a fused, fast program, and see every stage.
#pragma once

#include "tenon/array.h"
#include "tenon/config.h"
#include "tenon/device.h"
#include "tenon/error.h"
#include "tenon/host.h"
#include "tenon/jaxpr.h"
#include "tenon/jit.h"
#include "tenon/jnp.h"
#include "tenon/lax.h"
#include "tenon/logging.h"
#include "tenon/nn.h"
#include "tenon/npy.h"
#include "tenon/primitive.h"
#include "tenon/stages.h"
#include "tenon/transforms.h"
#include "tenon/tree.h"
