// SPDX-License-Identifier: Apache-2.0
// One function a method, in the file of its name; the list is in registry.cc.
#pragma once

#include "methods/method.h"

namespace sosia {

Method pairwise_method();
Method independent_method();
Method dp_merf_method();
Method dp_hp_method();
Method dp_mepf_method();
Method dp_auto_gan_method();
Method dp_wgan_method();
Method dp_vae_method();
Method dp_cgan_method();
Method dp_syn_method();
Method dp_merf_ae_method();

}  // namespace sosia
